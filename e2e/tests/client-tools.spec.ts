import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { expect, test as base, type Page } from '@playwright/test';
import { build } from 'vite';
import { sourceConditions } from '../../vite.config.ts';
import { watchFaults } from './faults.ts';

const folder = fileURLToPath(new URL('../client-tools', import.meta.url));

/** The desk: a page with tools that a prompt on a server calls. `desk` is its address. */
const test = base.extend<{ faults: string[] }, { desk: string }>({
  desk: [
    // oxlint-disable-next-line no-empty-pattern -- Playwright reads the fixture names from this pattern
    async ({}, use) => {
      const page = mkdtempSync(join(tmpdir(), 'cueline-desk-'));
      await build({
        root: join(folder, 'page'),
        configFile: false,
        logLevel: 'error',
        resolve: { conditions: [...sourceConditions, 'module', 'browser', 'production'] },
        build: { outDir: page, emptyOutDir: true, target: 'es2023', chunkSizeWarningLimit: 5_000 },
      });
      const server = spawn(process.execPath, ['--conditions=@cueline/source', 'serve.ts', page], {
        cwd: folder,
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      const [address] = (await once(createInterface(server.stdout), 'line')) as [string];
      await use(address);
      server.kill('SIGKILL');
      rmSync(page, { recursive: true, force: true });
    },
    { scope: 'worker' },
  ],
  faults: [
    async ({ context }, use) => {
      const { faults } = watchFaults(context);
      await use(faults);
      expect(faults).toEqual([]);
    },
    { auto: true },
  ],
});

// one worker for the file: its tests share a server and a build
test.describe.configure({ mode: 'default' });

const press = (page: Page, name: string) => page.getByRole('button', { name }).click();
const stands = (page: Page, status: string) => expect(page.getByRole('status')).toHaveText(status);
const asked = (page: Page, times: number) => expect(page.getByTestId('asked')).toHaveText(`asked ${times}×`);
const roomCard = (page: Page) => page.getByRole('region', { name: 'Which room would you like?' });

test('the page answers a tool that a prompt on the server calls', async ({ page, desk }) => {
  await page.goto(desk);
  await press(page, 'Find a room');
  await stands(page, 'waiting');
  await press(page, 'Sea room');
  await stands(page, 'done');
  await expect(page.getByTestId('text')).toContainText('"value":"Sea room"');
  await expect(page.getByText('pickRoom: output-available')).toBeVisible();
  await asked(page, 1);
});

test('the model reads the error that a tool’s function throws', async ({ page, desk }) => {
  await page.goto(desk);
  await press(page, 'Find a room');
  await press(page, 'Rather not');
  await stands(page, 'done');
  await expect(page.getByTestId('text')).toContainText('The guest would rather not say.');
  await expect(page.getByText('pickRoom: output-error')).toBeVisible();
});

test('a call that gets no answer in time continues without one, and its question disappears', async ({
  page,
  desk,
}) => {
  await page.goto(desk);
  // the page itself checks at each frame: a request from the test may arrive after the question has disappeared
  const isAsked = page.waitForFunction(() => document.body.textContent?.includes('Is that right?'));
  await press(page, 'Confirm my stay');
  await isAsked;
  await stands(page, 'done');
  await expect(page.getByTestId('text')).toContainText('confirm had no response from the page within 1.5 s');
  await expect(page.getByRole('region')).toHaveCount(0);
});

test('after a reload during a call that only reads, the page asks again', async ({ page, desk }) => {
  await page.goto(desk);
  await press(page, 'Find a room');
  await expect(roomCard(page)).toBeVisible();
  await page.reload();
  await expect(roomCard(page)).toBeVisible();
  await press(page, 'Attic');
  await stands(page, 'done');
  await expect(page.getByTestId('text')).toContainText('"value":"Attic"');
  await asked(page, 1);
});

test('after a reload during a call that may have taken effect, the call ends with an error', async ({
  page,
  desk,
}) => {
  await page.goto(desk);
  await press(page, 'Pay the deposit');
  await expect(page.getByRole('button', { name: 'Pay', exact: true })).toBeVisible();
  await page.reload();
  await stands(page, 'done');
  await expect(page.getByTestId('text')).toContainText('it is unknown whether the call took effect');
  await asked(page, 0);
});

test('a second tab shows the call and leaves it to the first tab until that one is closed', async ({
  page,
  context,
  desk,
}) => {
  await page.goto(desk);
  await press(page, 'Find a room');
  await expect(roomCard(page)).toBeVisible();
  const second = await context.newPage();
  await second.goto(desk);
  await expect(second.getByText('pickRoom:')).toBeVisible();
  await stands(second, 'waiting');
  await expect(roomCard(second)).toHaveCount(0);
  await page.close();
  await expect(roomCard(second)).toBeVisible();
  await press(second, 'Garden room');
  await stands(second, 'done');
  await asked(second, 1);
});

test(
  'another browser that knows the run leaves a call to the page that started it',
  { tag: '@long' },
  async ({ page, context, browser, desk }) => {
    await page.goto(desk);
    await press(page, 'Find a room');
    await expect(roomCard(page)).toBeVisible();
    const { cookies, origins } = await context.storageState({ indexedDB: true });
    const known = origins.map((origin) => ({ ...origin, localStorage: [] }));
    const elsewhere = await browser.newContext({ storageState: { cookies, origins: known } });
    const other = await elsewhere.newPage();
    await other.goto(desk);
    await stands(other, 'waiting');
    await press(page, 'Sea room');
    await stands(page, 'done');
    await stands(other, 'done');
    await expect(other.getByTestId('text')).toContainText('"value":"Sea room"');
    await asked(other, 0);
    await elsewhere.close();
  },
);

test('a stock useChat answers the same tools', async ({ page, desk }) => {
  await page.goto(`${desk}/?chat`);
  await press(page, 'Find a room');
  await press(page, 'Sea room');
  await expect(page.getByText('"value":"Sea room"')).toBeVisible();
  await expect(page.getByText('pickRoom: output-available')).toBeVisible();
  await stands(page, 'ready');
  await press(page, 'Pay the deposit');
  await press(page, 'Rather not');
  await expect(page.getByText('payDeposit: output-error')).toBeVisible();
  await expect(page.getByText('The guest would rather not say.')).toBeVisible();
  await stands(page, 'ready');
});
