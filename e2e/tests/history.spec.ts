import { readFile } from 'node:fs/promises';
import type { Reply } from '../server/model.ts';
import { expect, onPage, test, withServer, type Playground } from './playground-page.ts';
import { storedData } from './stored-data.ts';

/** A script with a tool that does `look`. Its lines are short enough for a narrow editor. */
const looking = (city: string, look: string): string => `import { definePrompt } from '@cueline/core';
import { z } from 'zod';

export default definePrompt(
  'slow',
  async (prompt) => {
    prompt.defTool(
      'look',
      'Looks at the sky',
      z.object({}),
      ${look},
    );
    prompt.$\`Use the tool for ${city}.\`;
  },
);
`;

const slow = (city: string): string => looking(city, "() => ({ sky: 'clear' })");

/** A script whose call is in progress until the user leaves the page. */
const endless = looking('Bergen', '() => new Promise(() => {})');

async function openHistory({ page }: Playground): Promise<void> {
  await page.getByRole('button', { name: 'History' }).click();
  await expect(page.getByRole('dialog', { name: 'History' })).toBeVisible();
}

async function switchTo({ page }: Playground, script: RegExp): Promise<void> {
  await page.getByTestId('script-picker').click();
  await page.getByRole('menuitemradio', { name: script }).click();
  // its text is read from the database first
  await expect(page.getByTestId('script-picker')).toHaveText(script);
}

test('a run that a reload interrupts is shown again and continues; a finished one takes a reply', async ({
  playground,
}) => {
  const { page, status } = playground;
  await playground.open();
  await withServer(page, async (server) => {
    const afterReload = Promise.withResolvers<Reply>();
    const reply = Promise.withResolvers<Reply>();
    server.plan([{ toolCall: { name: 'look' } }, afterReload.promise, reply.promise]);
    await playground.write(endless);
    await playground.run();
    await expect(playground.tool('look')).toHaveAttribute('data-state', 'running');
    await expect.poll(() => storedData(page)).toContain('"type":"tool-start"');
    await page.reload();
    await expect(page.getByTestId('interrupted')).toBeVisible();
    await expect(status).toHaveText(/Interrupted/);
    await expect(playground.tool('look')).toBeVisible();
    await page.getByRole('button', { name: 'Continue' }).click();
    await expect(status).toHaveAttribute('data-status', 'running');
    afterReload.resolve({ text: 'Nobody has looked.' });
    expect(await playground.ended()).toBe('done');
    // the call may have taken effect, so it was not made again
    await expect(playground.tool('look')).toContainText('interrupted');
    await expect.poll(() => storedData(page)).toContain('"outcome":"done"');
    // a link that is refused does not hide the last run
    await page.evaluate(() => history.replaceState(null, '', '#v1.s.damaged.1-x'));
    await page.reload();
    expect(await playground.ended()).toBe('done');
    await expect(page.getByTestId('notice')).toContainText('Your own work is unchanged.');
    expect(await playground.script()).toBe(endless);
    await page.getByLabel('Reply', { exact: true }).fill('And tomorrow?');
    await page.keyboard.press('Enter');
    await expect(status).toHaveAttribute('data-status', 'running');
    reply.resolve({ text: 'Rain.' });
    expect(await playground.ended()).toBe('done');
    await expect(page.getByLabel('User message').last()).toHaveText('And tomorrow?');
  });
});

test(
  'a link stays in the address until the script is edited, and the user’s own script can be chosen again',
  { tag: '@long' },
  async ({ playground }) => {
    const { page } = playground;
    await playground.open();
    await playground.write(slow('Oslo'));
    const hash = await playground.link();
    await playground.write("definePrompt('mine')\n");
    await playground.follow(hash);
    await expect(page.getByTestId('notice')).toContainText('Opened from a link');
    await expect(page.getByTestId('script-origin')).toHaveText('From a link');
    await page.reload();
    await expect(page.getByTestId('notice')).toContainText('Opened from a link');
    expect(new URL(page.url()).hash).toBe(hash);
    await playground.write(slow('Bodø'));
    await expect.poll(() => new URL(page.url()).hash).toBe('');
    await switchTo(playground, /^mine/);
    expect(await playground.script()).toBe("definePrompt('mine')\n");
    await switchTo(playground, /^slow/);
    expect(await playground.script()).toBe(slow('Bodø'));
  },
);

test('two tabs that edit one script keep both texts', { tag: '@long' }, async ({ playground }) => {
  const { page } = playground;
  await playground.open();
  await playground.write("definePrompt('ours')\n");
  await expect.poll(() => storedData(page)).toContain("definePrompt('ours')");
  const other = onPage(await page.context().newPage());
  await other.open();
  expect(await other.script()).toBe("definePrompt('ours')\n");
  await other.write("definePrompt('ours') // other\n");
  // a tab without edits shows the change of the other one
  await expect(playground.editor.locator('.view-lines')).toContainText('// other');
  // as if both had edited at the same moment: the first tab is not notified of this change in time
  await other.page.evaluate(() => (BroadcastChannel.prototype.postMessage = () => {}));
  await other.write("definePrompt('ours') // two\n");
  await expect.poll(() => storedData(other.page)).toContain('// two');
  await page.bringToFront();
  await playground.editor.locator('.view-line').first().click();
  await page.keyboard.press('End');
  await page.keyboard.type(' // one');
  await expect(page.getByText('Both texts are kept.')).toBeVisible();
  // the cursor stays where it was
  await page.keyboard.type(' // more');
  expect(await playground.script()).toBe("definePrompt('ours') // other // one // more\n");
  await switchTo(playground, /^ours(?! \(copy\))/);
  expect(await playground.script()).toBe("definePrompt('ours') // two\n");
  await page.getByTestId('script-picker').click();
  await page.getByRole('menuitem', { name: 'Delete' }).click();
  const origin = other.page.getByTestId('script-origin');
  await expect(origin).toHaveText('Not stored any more');
  await other.page.keyboard.type('// again');
  await expect(origin).toHaveText('Kept in this browser');
  await expect.poll(() => storedData(other.page)).toContain('// again');
  const memory = (): Promise<string | null> =>
    other.page.evaluate(() => sessionStorage.getItem('cueline:tab'));
  await expect.poll(memory).toMatch(/"isSaved":true.*again/s);
  // as if the user had deleted the data of this site in the settings of the browser, and then come back
  await other.page.evaluate(async () => {
    await new Promise((resolve) => {
      indexedDB.deleteDatabase('cueline-playground').onsuccess = resolve;
    });
    document.dispatchEvent(new Event('visibilitychange'));
  });
  await expect(origin).toHaveText('Not stored any more');
  await other.page.close();
});

test('runs are found, renamed, pinned, exported, deleted and imported', async ({ playground }, info) => {
  const { page } = playground;
  await playground.open();
  await playground.run();
  expect(await playground.ended()).toBe('done');
  await openHistory(playground);
  const run = page.getByTestId('stored-run');
  await expect(run).toContainText('Done');
  const choose = async (item: string): Promise<void> => {
    await page.getByRole('button', { name: /^More about/ }).click();
    await page.getByRole('menuitem', { name: item, exact: true }).click();
  };
  await choose('Rename');
  await page.getByLabel(/^Title of/).fill('My walk');
  await page.keyboard.press('Enter');
  await expect(run).toContainText('My walk');
  const menu = page.getByRole('button', { name: 'More about My walk' });
  await expect(menu).toBeFocused();
  await choose('Rename');
  await page.getByLabel(/^Title of/).fill('Not kept');
  await page.keyboard.press('Escape');
  await expect(run).toContainText('My walk');
  await expect(menu).toBeFocused();
  await page.getByLabel('Search runs').fill('nothing like it');
  await expect(page.getByText('No run matches.')).toBeVisible();
  await page.getByLabel('Search runs').fill('getWeather walk');
  await choose('Pin');
  await expect(page.getByRole('heading', { name: 'Pinned' })).toBeVisible();
  await expect(menu).toBeFocused();
  const deleteAll = page.getByRole('button', { name: 'Delete all runs…' });
  await deleteAll.click();
  await page.getByRole('button', { name: 'Keep' }).click();
  await expect(deleteAll).toBeFocused();
  const [download] = await Promise.all([page.waitForEvent('download'), choose('Export')]);
  const path = info.outputPath('run.json');
  await download.saveAs(path);
  expect(await readFile(path, 'utf8')).toContain('getWeather');
  await choose('Delete');
  await expect(run).toHaveCount(0);
  const undo = page.getByRole('dialog', { name: 'History' }).getByRole('button', { name: 'Undo' });
  await undo.click();
  await expect(run).toContainText('My walk');
  await choose('Delete');
  await expect(undo).toBeFocused();
  await page.keyboard.press('Enter');
  await expect(run).toContainText('My walk');
  await expect(menu).toBeFocused();
  await choose('Delete');
  await expect(run).toHaveCount(0);
  await page.getByLabel('Search runs').fill('');
  await page.getByLabel('Run file').setInputFiles(path);
  await expect(run).toContainText('My walk');
  await run.click();
  await expect(page.getByRole('dialog', { name: 'History' })).toHaveCount(0);
  await expect(playground.tool('getWeather')).toBeVisible();
  await expect(page.getByTestId('shared-run')).toHaveCount(0);
  // once the dialog is closed, a message offers to undo the last deletion
  await page.getByRole('button', { name: 'Undo' }).click();
  await openHistory(playground);
  await expect(run).toHaveCount(2);
  await page.keyboard.press('Escape');
  await page.evaluate(() =>
    Object.defineProperty(Intl.DateTimeFormat.prototype, 'format', {
      get: () => {
        throw new Error('A view that fails.');
      },
    }),
  );
  await openHistory(playground);
  await expect(page.getByText('This part of the page cannot be shown.')).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(playground.tool('getWeather')).toBeVisible();
});

test('a page without a database reports this once, and works', { tag: '@long' }, async ({ playground }) => {
  const { page } = playground;
  await page.addInitScript(() => {
    if (window.top === window)
      indexedDB.open = () => {
        throw new DOMException('no', 'SecurityError');
      };
  });
  await playground.open();
  await playground.write(slow('Oslo'));
  await expect(page.getByText(/does not let this page store anything/)).toHaveCount(1);
  await playground.run();
  expect(await playground.ended()).toBe('done');
  await expect(page.getByTestId('script-origin')).toHaveText('Only in this tab');
  // the panel does not say that runs are kept
  await openHistory(playground);
  const panel = page.getByRole('dialog', { name: 'History' });
  await expect(panel).toContainText('New runs are gone once the tab is closed.');
  await expect(panel).not.toContainText(/kept/);
  await page.keyboard.press('Escape');
  await page.getByTestId('script-picker').click();
  await page.getByRole('menuitem', { name: 'New script' }).click();
  await switchTo(playground, /^slow/);
  expect(await playground.script()).toBe(slow('Oslo'));
});
