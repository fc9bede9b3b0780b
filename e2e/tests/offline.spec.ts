import { expect, test, withServer } from './playground-page.ts';
import { script } from './weather-script.ts';

test.use({ serviceWorkers: 'allow', fresh: true, typeScript: true });

test('after the first visit the page opens, checks types and runs the demo model without a network', async ({
  playground,
}) => {
  const { page } = playground;
  await playground.open();
  await page.evaluate(async () => {
    const { active } = await navigator.serviceWorker.ready;
    if (active?.state === 'activated') return;
    await new Promise<void>((resolve) => {
      active?.addEventListener('statechange', () => active.state === 'activated' && resolve());
    });
  });

  await page.context().setOffline(true);
  await page.reload();
  await expect(playground.editor.locator('.view-line').first()).toBeVisible();
  await playground.write(script('Oslo').replace("sky: 'drizzle'", 'sky: drizzle'));
  await expect(page.getByTestId('problems')).toContainText('drizzle');
  await playground.write(script('Oslo'));
  await expect(page.getByText('No problems')).toBeVisible();
  await playground.run();
  expect(await playground.ended()).toBe('done');
  await expect(playground.tool('getWeather')).toContainText('Oslo');
});

test(
  'a run that lost the network goes on as soon as there is one again',
  { tag: '@long' },
  async ({ playground }) => {
    const { page } = playground;
    await playground.open();
    await withServer(page, async (server) => {
      server.plan([{ text: 'Here.' }, { text: 'Here again.' }]);
      // the code that runs scripts and calls servers loads with the first run
      await playground.run();
      expect(await playground.ended()).toBe('done');
      await page.context().setOffline(true);
      await playground.run();
      await expect(playground.status).toContainText('waiting for the network');
      await page.context().setOffline(false);
      // without the page's report, the run would wait for 30 seconds
      await expect(page.getByText('Here again.')).toBeVisible({ timeout: 15_000 });
    });
  },
);
