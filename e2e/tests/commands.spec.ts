import type { Page } from '@playwright/test';
import { expect, test } from './playground-page.ts';

/** The command palette of a page. */
function paletteOf(page: Page) {
  const palette = page.getByRole('dialog', { name: 'Commands' });
  const search = palette.getByRole('combobox');
  return {
    palette,
    first: palette.getByRole('option', { selected: true }),
    async find(words: string): Promise<void> {
      await page.keyboard.press('ControlOrMeta+k');
      await expect(search).toBeFocused();
      await search.fill(words);
    },
  };
}

test('the command palette opens from the editor, and finds an example and Run', async ({ playground }) => {
  const { page, editor } = playground;
  const { palette, first, find } = paletteOf(page);
  await playground.open();
  await editor.locator('.view-line').first().click();

  await find('task list');
  await expect(first).toContainText('Each task has its own tools and checks.');
  await page.keyboard.press('Enter');
  await expect(palette).toHaveCount(0);
  await expect(page.getByTestId('script-picker')).toHaveText('Task list');
  // the focus is where it was
  await expect.poll(() => editor.evaluate((node) => node.contains(document.activeElement))).toBe(true);

  // without words, the first command is to run the script
  await find('');
  await expect(first).toContainText('Run the script');
  await page.keyboard.press('Enter');
  await expect(page.getByTestId('stop-button')).toBeVisible();

  // while it runs, another script is opened: the page names the script of the run, and leads back to it
  await find('weather');
  await page.keyboard.press('Enter');
  await expect(page.getByTestId('script-changed')).toContainText('This run is of “Task list”.');
  await expect(page.getByTestId('stop-button')).toHaveAttribute('title', 'Stop the run of “Task list”');
  await page.getByTestId('script-changed').getByRole('button', { name: 'Open it' }).click();
  await expect(page.getByTestId('script-picker')).toHaveText('Task list');
  await expect(page.getByTestId('script-changed')).toHaveCount(0);
});

test(
  'the command palette finds a step, a stored run and each dialog',
  { tag: '@long' },
  async ({ playground }) => {
    const { page, editor, status } = playground;
    const { palette, first, find } = paletteOf(page);
    await playground.open();
    await playground.pick('Task list');
    await playground.run();
    expect(await playground.ended()).toBe('done');

    await find('step 3');
    await expect(first).toContainText('Step 3');
    await page.keyboard.press('Enter');
    await expect(page.getByTestId('inspected')).toContainText('Step 3');

    await find('weather');
    await page.keyboard.press('Enter');
    await playground.run();
    await expect(page.getByTestId('stop-button')).toBeVisible();
    expect(await playground.ended()).toBe('done');
    await find('task list earlier');
    await expect(first).toContainText('Demo model');
    await page.keyboard.press('Enter');
    await expect(status).toHaveAttribute('data-status', 'done');
    await expect(playground.tool('countBoxes').first()).toBeVisible();

    for (const [words, label, opened] of [
      ['histor', 'Open the history', 'History'],
      ['share', 'Share the script…', 'Share'],
      ['rename', 'Rename the script…', 'Rename the script'],
    ] as const) {
      await find(words);
      await expect(first).toHaveText(label);
      await page.keyboard.press('Enter');
      await expect(page.getByRole('dialog', { name: opened })).toBeVisible();
      await page.keyboard.press('Escape');
      await expect(page.getByRole('dialog', { name: opened })).toHaveCount(0);
    }

    // the editor's own search stays in the page after it has closed
    await editor.locator('.view-line').first().click();
    await page.keyboard.press('ControlOrMeta+f');
    await page.keyboard.press('Escape');
    // scattered letters are not a match
    await find('hdinsp');
    await expect(palette).toContainText('Nothing found.');
    await page.keyboard.press('ControlOrMeta+k');
    await expect(palette).toHaveCount(0);
  },
);

test('a new script takes the focus, at the name of its prompt', { tag: '@long' }, async ({ playground }) => {
  const { page } = playground;
  await playground.open();
  await page.getByTestId('script-picker').click();
  await page.getByRole('menuitem', { name: 'New script' }).click();
  await expect(playground.editor).toContainText('untitled');
  await expect
    .poll(() => page.evaluate(() => document.activeElement?.closest('.monaco-editor') !== null))
    .toBe(true);
  await page.keyboard.type('still-');
  await expect(playground.editor).toContainText("definePrompt('still-untitled'");

  await page.getByRole('button', { name: 'Prompts' }).first().click();
  await page.keyboard.press('ControlOrMeta+k');
  await page.getByRole('dialog', { name: 'Commands' }).getByRole('combobox').fill('new script');
  await page.keyboard.press('Enter');
  await expect(playground.editor).toContainText("definePrompt('untitled'");
  await expect
    .poll(() => page.evaluate(() => document.activeElement?.closest('.monaco-editor') !== null))
    .toBe(true);
});
