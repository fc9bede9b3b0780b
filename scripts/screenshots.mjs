// pnpm screenshots: takes the README's pictures of the built playground, and writes them to docs/images.
import { mkdirSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { chromium } from 'playwright';
import { launchOptions } from './browser.mjs';

const root = new URL('..', import.meta.url);
const app = new URL('apps/playground/', root);
const images = new URL('docs/images/', root);
const PORT = 4186;
/** The largest picture that the README may load, in bytes. */
const LARGEST = 250_000;

/** @type {{ name: string, theme: 'dark' | 'light', example: string }[]} */
const pictures = [
  { name: 'playground-dark', theme: 'dark', example: 'Task list' },
  { name: 'playground-light', theme: 'light', example: 'Researchers and a writer' },
];

// Vite is a dependency of the app, not of the workspace.
const { preview } = await import(createRequire(new URL('package.json', app)).resolve('vite'));
mkdirSync(images, { recursive: true });
const server = await preview({ root: fileURLToPath(app), preview: { port: PORT, strictPort: true } });
const browser = await chromium.launch(launchOptions());
try {
  for (const picture of pictures) await take(picture);
} finally {
  await browser.close();
  await server.close();
}

/** @param {{ name: string, theme: 'dark' | 'light', example: string }} picture */
async function take({ name, theme, example }) {
  const page = await browser.newPage({
    viewport: { width: 1440, height: 900 },
    colorScheme: theme,
    reducedMotion: 'reduce',
  });
  await page.goto(`http://localhost:${PORT}/`);
  await page.locator('.monaco-editor .view-line').first().waitFor();
  await page.getByRole('button', { name: 'Examples' }).click();
  await page.getByRole('menuitem', { name: new RegExp(`^${example}`) }).click();
  await page.getByTestId('run-button').click();
  await page.locator('[data-testid=status][data-status=done]').waitFor({ timeout: 180_000 });
  await page.getByText('No problems').waitFor({ timeout: 180_000 });
  await page.locator('[data-step]').nth(1).getByRole('button').first().click();
  // away from every element with a hover style
  await page.mouse.move(720, 2);
  await page.evaluate('document.fonts.ready.then(() => undefined)');
  await page.waitForTimeout(500);
  const path = fileURLToPath(new URL(`${name}.png`, images));
  await page.screenshot({ path });
  await page.close();
  const { size } = statSync(path);
  console.log(`docs/images/${name}.png, ${Math.round(size / 1000)} kB`);
  if (size > LARGEST) throw new Error(`${name}.png has ${size} bytes, more than ${LARGEST}.`);
}
