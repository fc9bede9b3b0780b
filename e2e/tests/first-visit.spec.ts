import { expect, test } from './playground-page.ts';

test('a first visitor sees a recorded run play, and runs the script', async ({ playground }) => {
  const { page } = playground;
  // the run is longer than its pane
  await page.setViewportSize({ width: 1440, height: 640 });
  await page.goto('/');
  const recording = page.getByTestId('recording');
  await expect(recording).toContainText('recording');
  // while it plays, the user's next step is to run the script
  await expect(page.getByTestId('run-button')).toBeVisible();
  await expect(page.getByTestId('stop-button')).toHaveCount(0);
  await expect(playground.tool('getWeather')).toHaveAttribute('data-state', 'output-available');
  await expect(playground.status).toHaveAttribute('data-status', 'done');
  await expect(page.getByLabel('Answer', { exact: true }).last()).toContainText('24 °C and sunny');
  // the run is followed to its end
  await expect(page.getByText(/^Done in/)).toBeInViewport();
  await expect(recording).toContainText('the script on this page');
  await expect(recording.getByRole('button', { name: 'Again' })).toBeVisible();
  // a link has the script alone, unless the visitor asks for more
  await page.getByTestId('share').click();
  await expect(page.getByRole('radio', { name: 'Script', exact: true })).toBeChecked();
  await page.keyboard.press('Escape');
  // beside another script, the recording has the name of its own
  await playground.pick('Task list');
  await expect(recording).toContainText('This is a recording of “Weather”.');
  await expect(recording.getByRole('button')).toHaveText(['Run the script']);
  await playground.pick('Weather');
  await recording.getByRole('button', { name: 'Run it yourself' }).click();
  await expect(recording).toHaveCount(0);
  expect(await playground.ended()).toBe('done');
  await page.reload();
  // a user who has run something is no longer a first visitor
  await expect(playground.editor.locator('.view-line').first()).toBeVisible();
  await expect(recording).toHaveCount(0);
});

test(
  'the examples take the place of a recording that does not load',
  { tag: '@long' },
  async ({ playground }) => {
    const { page, editor } = playground;
    let fail = (): void => {};
    const failing = new Promise<void>((resolve) => (fail = resolve));
    await page.route(/first-run-.*\.js$/, async (route) => {
      await failing;
      await route.abort();
    });
    await page.goto('/');
    await expect(page.getByTestId('run-button')).toBeVisible();
    const empty = page.getByRole('heading', { name: 'Press Run and watch it work' });
    // the page shows nothing that the recording would replace at once
    await expect(empty).toHaveCount(0);
    fail();
    await expect(empty).toBeVisible();
    await expect(editor.locator('.view-line').first()).toBeVisible();
  },
);

test(
  'the page does not wait for a recording that never answers, and a button runs the script',
  { tag: '@long' },
  async ({ playground }) => {
    const { page, editor } = playground;
    await page.route(/first-run-.*\.js$/, () => {});
    await page.goto('/');
    await expect(page.getByRole('heading', { name: 'Press Run and watch it work' })).toBeVisible();
    await expect(editor.locator('.view-line').first()).toBeVisible();
    await page.getByRole('button', { name: 'Run this script' }).click();
    expect(await playground.ended()).toBe('done');
  },
);

test('the script stays in its place when the editor has loaded', async ({ playground }) => {
  const { page } = playground;
  let load = (): void => {};
  const loading = new Promise<void>((resolve) => (load = resolve));
  await page.route(/monaco-view-.*\.js$/, async (route) => {
    await loading;
    await route.continue();
  });
  const opened = playground.open();
  const waiting = page.getByLabel('Script', { exact: true }).locator('pre');
  await expect(waiting).toContainText('import');
  // another font, which draws the text until this one has loaded, has other heights
  await page.waitForFunction(() => document.fonts.check("13px 'JetBrains Mono Variable'"));
  const before = await waiting.evaluate(firstCharacter);
  load();
  await opened;
  const line = playground.editor.locator('.view-line').first();
  await expect.poll(() => line.evaluate(firstCharacter)).toEqual(before);
});

/** Where the text of an element begins on the page, in whole pixels. */
function firstCharacter(element: Element): { x: number; y: number } {
  const text = document.createTreeWalker(element, NodeFilter.SHOW_TEXT).nextNode()!;
  const range = document.createRange();
  range.setStart(text, 0);
  range.setEnd(text, 1);
  const { x, y } = range.getBoundingClientRect();
  return { x: Math.round(x), y: Math.round(y) };
}
