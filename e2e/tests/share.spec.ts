import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { BrowserContext, Page } from '@playwright/test';
import { craftLink } from './craft-link.ts';
import { expect, onPage, test, withServer, type Playground } from './playground-page.ts';
import { call, script } from './slow-tool.ts';
import { storedData } from './stored-data.ts';

const origin = 'http://localhost:4173';
const root = fileURLToPath(new URL('../..', import.meta.url));

/** A share store on this machine, and its address. */
async function withShares(use: (address: string) => Promise<void>): Promise<void> {
  const script = 'packages/edge/test/shares/serve.ts';
  const server = spawn(process.execPath, ['--conditions=@cueline/source', script, origin], {
    cwd: root,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  try {
    const [address] = (await once(createInterface(server.stdout), 'line')) as [string];
    await use(address);
  } finally {
    server.kill();
  }
}

/** The built page and a share store, served from one origin. */
async function hostShares(context: BrowserContext, address: string): Promise<void> {
  const path = '/api/shares';
  await context.route(`${origin}/`, async (route) => {
    const response = await route.fetch();
    const html = await response.text();
    const body = html.replace('name="cueline-shares" content=""', `name="cueline-shares" content="${path}"`);
    await route.fulfill({ response, body });
  });
  await context.route(`${origin}${path}{,/*}`, async (route) => {
    const { pathname } = new URL(route.request().url());
    await route.fulfill({ response: await route.fetch({ url: address + pathname.slice(path.length) }) });
  });
}

/** Runs a script with a list of tasks, one of whose results is refused, to its end. */
async function runTasks(playground: Playground): Promise<void> {
  await withServer(playground.page, async (server) => {
    server.plan([
      call('finishTask', { result: 'Three boxes.' }),
      call('finishTask', { result: 'Four boxes.' }),
      call('finishTask', { result: 'They are outside.' }),
      { text: 'Both tasks are **done**.' },
    ]);
    await playground.write(
      script(`prompt.defTaskList([
    { task: 'Count the boxes', validation: (result) => (String(result).includes('Four') ? undefined : 'There are four.') },
    { task: 'Carry them out' },
  ]);`),
    );
    await playground.run();
    expect(await playground.ended()).toBe('done');
  });
}

/** Opens Share at the upload of the run. */
async function openUpload(page: Page): Promise<void> {
  await page.getByTestId('share').click();
  await page.getByText('Script and run').click();
  await expect(page.getByTestId('upload')).toContainText('kept for 30 days');
}

/** The rows of the transcript, without the summary row, whose buttons depend on the visitor. */
async function rowsOf(page: Page): Promise<string[]> {
  const rows = page.getByRole('list', { name: 'Transcript' }).locator('> [role=listitem]');
  return (await rows.allInnerTexts()).slice(0, -1);
}

test('a short link to a run shows the same transcript in another browser', async ({
  playground,
  browser,
}) => {
  const { page } = playground;
  await withShares(async (address) => {
    await playground.open();
    await runTasks(playground);
    await expect.poll(() => storedData(page)).toContain('"outcome":"done"');
    await hostShares(page.context(), address);
    await page.reload();
    expect(await playground.ended()).toBe('done');
    await expect(page.getByTestId('run').getByText('They are outside.').last()).toBeVisible();
    const rows = await rowsOf(page);
    expect(rows.length).toBeGreaterThan(4);

    // with the keyboard alone
    await page.getByTestId('share').focus();
    await page.keyboard.press('Enter');
    await expect(page.getByRole('radio', { name: 'Script', exact: true })).toBeFocused();
    // the choice follows the focus only as long as the key is down
    await page.keyboard.down('ArrowRight');
    await expect(page.getByRole('radio', { name: 'Script and run' })).toBeChecked();
    await page.keyboard.up('ArrowRight');
    await expect(page.getByTestId('upload')).toContainText('kept for 30 days');
    await expect(page.getByTestId('upload')).toContainText('localhost:4173');
    await page.getByTestId('make-short-link').focus();
    await page.keyboard.press('Enter');
    const link = page.getByLabel('Short link to this run');
    await expect(link).toHaveValue(/\/#s=[\w-]{22}$/);
    await expect(page.getByRole('button', { name: 'Copy short link' })).toBeFocused();
    await expect(page.getByRole('button', { name: 'Copy long link' })).toBeVisible();
    await expect(page.getByRole('button', { name: 'Copy link' })).toHaveCount(0);
    const url = await link.inputValue();

    const context = await browser.newContext();
    try {
      await hostShares(context, address);
      const other = onPage(await context.newPage());
      await other.open(new URL(url).hash);
      await expect(other.page.getByTestId('shared-run')).toContainText('A shared run');
      await expect(other.status).toHaveAttribute('data-status', 'done');
      // the page draws a few rows at a time
      await expect.poll(() => rowsOf(other.page)).toEqual(rows);
      await expect(other.page.getByTestId('task-progress')).toHaveText('2 of 2');
      await expect(other.page.getByLabel('Reply', { exact: true })).toHaveCount(0);
      await expect(other.page.getByTestId('notice')).toContainText('read it before you run it');
      // a reload shows the shared run again
      expect(other.page.url()).toBe(url);
      // the same run again, without a second upload
      await other.page.getByTestId('share').click();
      await expect(other.page.getByLabel('Short link to this run')).toHaveValue(url);
      await other.page.keyboard.press('Escape');
      await other.page.getByRole('button', { name: 'Close the shared run' }).click();
      await expect(other.page.getByRole('heading', { name: 'Press Run and watch it work' })).toBeVisible();
    } finally {
      await context.close();
    }
  });
});

test(
  'the author of a share can delete it, even after a reload, and then its link no longer opens',
  { tag: '@long' },
  async ({ playground, browser }) => {
    const { page } = playground;
    await withShares(async (address) => {
      await hostShares(page.context(), address);
      await playground.open();
      await playground.run();
      expect(await playground.ended()).toBe('done');
      await openUpload(page);
      await page.getByTestId('make-short-link').click();
      const link = page.getByLabel('Short link to this run');
      const url = await link.inputValue();

      const context = await browser.newContext();
      try {
        await hostShares(context, address);
        const other = onPage(await context.newPage());
        await other.open(new URL(url).hash);
        await expect(other.page.getByTestId('shared-run')).toBeVisible();
        // another browser does not have its key
        await other.page.getByTestId('share').click();
        await expect(other.page.getByLabel('Short link to this run')).toHaveValue(url);
        await expect(other.page.getByTestId('delete-link')).toHaveCount(0);

        await page.reload();
        await playground.open(new URL(url).hash);
        await page.getByTestId('share').click();
        await page.getByTestId('delete-link').click();
        await expect(page.getByRole('group', { name: 'Delete this link' })).toContainText(
          'It will stop working for everyone.',
        );
        await page.getByRole('button', { name: 'Keep it' }).click();
        await expect(link).toHaveValue(url);
        // with the keyboard: the focus is on the control that leads back
        await page.getByTestId('delete-link').focus();
        await page.keyboard.press('Enter');
        await expect(page.getByRole('button', { name: 'Keep it' })).toBeFocused();
        await page.keyboard.press('Shift+Tab');
        await page.keyboard.press('Enter');
        await expect(page.getByTestId('link-deleted')).toHaveText('Deleted. The link no longer works.');
        await expect(page.getByTestId('link-deleted')).toBeFocused();
        await expect(page.getByTestId('make-short-link')).toBeVisible();
        expect(await page.evaluate(() => localStorage.getItem('cueline-share-keys'))).toBe('[]');

        const late = onPage(await context.newPage());
        await late.open(new URL(url).hash);
        await expect(late.page.getByTestId('notice')).toContainText('Nothing is shared under this link');
      } finally {
        await context.close();
      }
    });
  },
);

test('a forged run, a cut-off link and an unknown one are refused with a reason, and the script stays', async ({
  playground,
}) => {
  const { page } = playground;
  await playground.open();
  await playground.write('// mine');
  const start = { type: 'run-start', v: 2, runId: 'r', model: 'm', messages: [], messageId: 'a' };
  const log = [start, { type: 'step-start', step: 0 }, { type: 'run-end', outcome: 'done' }].map(
    (body, seq) => ({ seq, t: seq, ...body }),
  );
  await playground.follow(craftLink({ script: '// theirs', log }));
  await expect(page.getByTestId('notice')).toContainText('is damaged: its event 2 cannot be read');
  await playground.follow((await playground.link()).slice(0, -6));
  await expect(page.getByTestId('notice')).toContainText('This link is cut off');
  await playground.follow('#s=AAAAAAAAAAAAAAAAAAAAAA');
  await expect(page.getByTestId('notice')).toContainText('this page is not connected to one');
  expect(await playground.script()).toBe('// mine');
  await expect(page.getByTestId('shared-run')).toHaveCount(0);
});

test(
  'a shared run that failed does not lead the reader to the settings of their own model',
  { tag: '@long' },
  async ({ playground }) => {
    const { page } = playground;
    const error = { code: 'network', message: 'Could not reach http://localhost:1.' };
    const log = [
      { type: 'run-start', v: 2, runId: 'r', model: 'm', messages: [], messageId: 'a' },
      { type: 'run-end', outcome: 'error', error },
    ].map((body, seq) => ({ seq, t: seq, ...body }));
    await playground.open(craftLink({ script: '// theirs', log }));
    await expect(page.getByTestId('run-error')).toContainText('Could not reach');
    await expect(page.getByTestId('run-error').getByRole('button')).toHaveCount(0);
  },
);

test('a link to a failed run does not contain the address of its author’s model server', async ({
  playground,
}) => {
  const { page } = playground;
  await playground.open();
  await page.getByTestId('model').click();
  await page.getByLabel('OpenAI-compatible server').click();
  await page.getByLabel('Base URL', { exact: true }).fill('http://localhost:1/v1');
  await page.getByLabel('Model id').fill('test-model');
  await page.getByRole('button', { name: 'Use this model' }).click();
  await playground.run();
  expect(await playground.ended()).toBe('error');
  await expect(page.getByTestId('run-error')).toContainText('Could not reach http://localhost:1.');

  await page.getByTestId('share').click();
  await page.getByText('Script and run').click();
  await expect(page.getByText('The address of the model server is left out.')).toBeVisible();
  const { hash } = new URL(await page.getByLabel('Link to this run').inputValue());
  await page.keyboard.press('Escape');
  await playground.follow(hash);
  await expect(page.getByTestId('shared-run')).toBeVisible();
  await expect(page.getByTestId('run-error')).toContainText('Could not reach the model server.');
});
