import { AxeBuilder } from '@axe-core/playwright';
import type { Page } from '@playwright/test';
import { expect, test } from './playground-page.ts';

// axe reads the whole page twice for each view.
test.describe.configure({ timeout: 180_000 });

/** What axe finds in the view on the page, in both themes, in a line each. */
async function problems(page: Page, view: string): Promise<string[]> {
  const found: string[] = [];
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
    await expect(page.locator('html')).toHaveAttribute('data-theme', colorScheme, { timeout: 20_000 });
    // colours in transition have other contrasts; an animation whose element goes is aborted
    await page.evaluate(() =>
      Promise.allSettled(document.getAnimations().map((animation) => animation.finished)),
    );
    const { violations } = await new AxeBuilder({ page }).analyze();
    for (const { id, nodes } of violations) {
      const first = nodes[0];
      found.push(
        `${view}, ${colorScheme}: ${id} (${nodes.length}) ${first?.target.join(' ')} ${first?.html.slice(0, 120)}`,
      );
    }
  }
  return found;
}

test('axe finds nothing around a run, also on a phone, in both themes', async ({ playground }) => {
  const { page } = playground;
  const found: string[] = [];
  await playground.open();
  await playground.run();
  expect(await playground.ended()).toBe('done');
  await playground.tool('getWeather').getByRole('button').first().click();
  found.push(...(await problems(page, 'after a run')));
  await page.setViewportSize({ width: 390, height: 844 });
  await page.getByRole('tab', { name: 'Trace' }).click();
  found.push(...(await problems(page, 'phone, Trace')));
  expect(found).toEqual([]);
});

test('axe finds nothing in any view of the playground', { tag: '@long' }, async ({ playground }) => {
  const { page } = playground;
  const found: string[] = [];
  const check = async (view: string): Promise<void> => void found.push(...(await problems(page, view)));

  await playground.open();
  await check('before a run');
  await page.getByRole('button', { name: 'Examples' }).click();
  await check('examples');
  await page.keyboard.press('Escape');

  await playground.pick('Task list');
  await playground.run();
  expect(await playground.ended()).toBe('done');
  await expect(page.getByTestId('run-summary')).toBeVisible();
  await playground.tool('finishTask').first().getByRole('button').first().click();
  await check('after a run');
  await page.getByTestId('share').click();
  await check('share');
  await page.keyboard.press('Escape');
  await page.getByTestId('model').click();
  await check('model dialog');
  await page.keyboard.press('Escape');

  await playground.pick('Weather');
  await page.getByTestId('script-changed').getByRole('button', { name: 'Show changes' }).click();
  await check('changes of the script');
  await page.keyboard.press('Escape');

  const parts = page.getByRole('navigation', { name: 'Parts of the playground' });
  await parts.getByRole('button', { name: 'Prompts' }).click();
  await expect(page.getByRole('region', { name: 'Prompts' })).toBeVisible();
  await check('prompts');
  await parts.getByRole('button', { name: 'Evals' }).click();
  await expect(page.getByRole('region', { name: 'Eval', exact: true })).toBeVisible();
  await check('evals');

  await page.setViewportSize({ width: 390, height: 844 });
  await parts.getByRole('button', { name: 'Script' }).click();
  for (const tab of ['Script', 'Run', 'Trace']) {
    await page.getByRole('tab', { name: tab }).click();
    await check(`phone, ${tab}`);
  }
  expect(found).toEqual([]);
});

test('a refused result is shown as refused, with its reason', { tag: '@long' }, async ({ playground }) => {
  const { page } = playground;
  await playground.open();
  await playground.pick('Task list');
  await playground.run();
  const refused = playground.tool('finishTask').first();
  await expect(refused).toHaveAttribute('data-verdict', 'refused', { timeout: 30_000 });
  await expect(refused).toContainText('Not accepted');
  await expect(refused).toContainText('There are exactly "42" boxes in all.');
  await playground.ended();
  await expect(playground.tool('finishTask').last()).toHaveAttribute('data-verdict', 'accepted');
  await expect(page.getByTestId('script-changed')).toHaveCount(0);
});
