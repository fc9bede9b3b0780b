import { expect, test } from './playground-page.ts';

test.use({ fresh: true });

test('parts of the page whose code does not load show an error, and the rest works', async ({
  playground,
}) => {
  const { page } = playground;
  for (const part of ['script-editor', 'inspector-pane']) {
    await page.route(`**/assets/${part}-*.js`, (route) => route.abort());
  }
  await page.goto('/');
  const script = page.getByRole('region', { name: 'Script' });
  await expect(script.getByRole('alert')).toHaveText(
    'The editor could not be loaded. Reload the page to edit the script.',
  );
  await expect(script.locator('pre')).toContainText('export default');
  await playground.run();
  expect(await playground.ended()).toBe('done');
  await expect(
    page.getByText('This part of the page could not be loaded. Reload the page.').first(),
  ).toBeVisible();
  await expect(page.getByRole('region', { name: 'Timeline' })).toBeVisible();
});

test(
  'a part that only adds to another leaves nothing in its place',
  { tag: '@long' },
  async ({ playground }) => {
    const { page } = playground;
    for (const part of ['source-lines', 'run-picture']) {
      await page.route(`**/assets/${part}-*.js`, (route) => route.abort());
    }
    const failed: string[] = [];
    page.on('requestfailed', (request) => void failed.push(request.url()));
    await playground.open();
    await playground.run();
    expect(await playground.ended()).toBe('done');
    await page.getByRole('button', { name: 'Examples' }).click();
    await expect.poll(() => new Set(failed).size).toBe(2);
    await expect(page.getByText('could not be loaded')).toHaveCount(0);
  },
);
