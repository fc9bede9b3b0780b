import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { expect, test } from '@playwright/test';
import { build } from 'vite';
import { sourceConditions } from '../../vite.config.ts';

/** The browser gets the page's files for this address without a network request. */
const ORIGIN = 'http://probes.invalid';

/** The functions that packages/react/test/probes/main.ts defines on its page. */
type Probes = {
  transition(): Promise<{
    without: number;
    during: number;
    ratio: number;
    attempts: number;
    rendersPerItem: number;
  }>;
};

test.describe('the hooks in a production build', () => {
  let folder: string;

  test.beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'cueline-probes-'));
    await build({
      root: fileURLToPath(new URL('../../packages/react/test/probes', import.meta.url)),
      configFile: false,
      logLevel: 'warn',
      mode: 'production',
      define: { 'process.env.NODE_ENV': '"production"' },
      resolve: { conditions: [...sourceConditions, 'module', 'browser', 'production'] },
      build: {
        outDir: folder,
        emptyOutDir: true,
        target: 'es2023',
        minify: true,
        chunkSizeWarningLimit: 5_000,
      },
    });
  });

  test.afterAll(() => rmSync(folder, { recursive: true, force: true }));

  test.beforeEach(async ({ page }) => {
    await page.route(`${ORIGIN}/**`, (route) =>
      route.fulfill({ path: join(folder, new URL(route.request().url()).pathname) }),
    );
    await page.goto(`${ORIGIN}/index.html`);
    await page.waitForFunction(() => 'probes' in window);
  });

  test('a transition of 300 ms takes as long while a run streams', async ({ page }) => {
    const measured = await page.evaluate(() => window.probes.transition());
    const { without, during, ratio, attempts, rendersPerItem } = measured;
    const figures = `${during.toFixed(0)} ms while streaming, ${without.toFixed(0)} ms without: ×${ratio.toFixed(2)}`;
    process.stdout.write(`     ${figures} (attempt ${attempts})\n`);
    expect(rendersPerItem, 'an update of the stream makes no transition start over').toBe(1);
    // the goal is ×1.1; a transition that started again would take as long as the stream
    expect(ratio, figures).toBeLessThan(1.3);
  });
});

declare global {
  interface Window {
    probes: Probes;
  }
}
