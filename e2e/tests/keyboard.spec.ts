import type { Locator, Page } from '@playwright/test';
import { expect, test } from './playground-page.ts';

/** Presses a key until `goal` has the focus. Every stop on the way must be visible. */
async function tabTo(page: Page, goal: Locator, key: 'Tab' | 'Shift+Tab' = 'Tab'): Promise<void> {
  for (let presses = 0; presses < 80; presses++) {
    if (await isFocused(goal)) return;
    await page.keyboard.press(key);
    expect(await stop(page), `after ${key} on the way to ${goal.toString()}`).toBe('visible');
  }
  throw new Error(`${key} does not lead to ${goal.toString()}`);
}

async function isFocused(goal: Locator): Promise<boolean> {
  return (await goal.count()) > 0 && goal.first().evaluate((element) => element === document.activeElement);
}

/** `visible`, or what is wrong with the element that has the focus. */
function stop(page: Page): Promise<string> {
  return page.evaluate(() => {
    const element = document.activeElement;
    if (element === null || element === document.body) return 'nothing has the focus';
    const name = element.getAttribute('aria-label') ?? element.textContent?.slice(0, 40);
    if (!element.matches(':focus-visible')) return `the focus of ${name} is not shown`;
    const { top, bottom, left, right } = element.getBoundingClientRect();
    const isInside = bottom > 0 && right > 0 && top < innerHeight && left < innerWidth;
    return isInside ? 'visible' : `${name} is outside of the page`;
  });
}

test('with the keyboard alone, a user runs a script, unfolds a tool and shares', async ({ playground }) => {
  const { page } = playground;
  await playground.open();
  await page.keyboard.press('ControlOrMeta+Enter');
  expect(await playground.ended()).toBe('done');
  const toggle = playground.tool('getWeather').getByRole('button');
  const share = page.getByTestId('share');
  // Into the editor and, past its own use of Tab, out of it again.
  await playground.editor.locator('.view-line').first().click();
  await page.keyboard.press('Control+m');
  await tabTo(page, toggle);
  await page.keyboard.press('Enter');
  await expect(playground.tool('getWeather').getByRole('group', { name: 'Output' })).toContainText('sunny');
  await tabTo(page, share, 'Shift+Tab');
  await page.keyboard.press('Enter');
  await expect(page.getByLabel('Link to this script')).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(share).toBeFocused();
});

test(
  'with the keyboard alone, a user runs a script, opens a call, goes back in time, edits a result, continues and returns',
  { tag: '@long' },
  async ({ playground }) => {
    const { page } = playground;
    await playground.open();
    const run = page.getByRole('region', { name: 'Run', exact: true });
    const ended = async (): Promise<void> => expect(await playground.ended()).toBe('done');

    await test.step('Tab leaves the editor after the keys that the editor names', async () => {
      await tabTo(page, page.getByRole('textbox', { name: 'Ctrl+M lets Tab leave the editor' }));
      await page.keyboard.press('Control+m');
      await page.keyboard.press('Control+Enter');
      await ended();
    });

    const card = playground.tool('getWeather').getByRole('button').first();
    await test.step('a call unfolds in place, and the inspector shows it', async () => {
      await tabTo(page, card);
      await page.keyboard.press('Enter');
      await expect(card).toHaveAttribute('aria-expanded', 'true');
      await expect(card).toBeInViewport();
      await expect(page.getByTestId('inspected')).toContainText('getWeather');
      await tabTo(page, page.getByRole('button', { name: 'Back to the step' }));
    });

    await test.step('the scrubber shows an earlier moment, and one button the run as it is now', async () => {
      await tabTo(page, page.getByRole('slider', { name: 'Moment' }));
      await page.keyboard.press('Home');
      await expect(page.getByTestId('past')).toBeVisible();
      await tabTo(page, page.getByRole('treegrid', { name: 'Steps in time' }), 'Shift+Tab');
      await tabTo(page, page.getByRole('button', { name: 'Back to now' }), 'Shift+Tab');
      await page.keyboard.press('Enter');
      await expect(page.getByTestId('past')).toHaveCount(0);
      // the button is removed, and the focus stays in its part of the page
      await expect(run).toBeFocused();
    });

    const forks = page.getByRole('navigation', { name: 'Runs and their forks' });
    await test.step('a result is edited, and the steps after it run', async () => {
      // the moments before the call had no card, so it is folded
      await tabTo(page, card);
      await page.keyboard.press('Enter');
      const edit = page.getByRole('button', { name: 'Edit result…' });
      await tabTo(page, edit);
      await page.keyboard.press('Enter');
      await expect(page.getByLabel('Result as JSON')).toBeFocused();
      await page.keyboard.press('Escape');
      await expect(edit).toBeFocused();
      await page.keyboard.press('Enter');
      await page.keyboard.press('ControlOrMeta+a');
      await page.keyboard.type('{"sky":"snow"}');
      await page.keyboard.press('ControlOrMeta+Enter');
      await expect(forks.locator('[aria-current]')).toHaveText(/^Run 2/);
      await ended();
      await expect.poll(() => stop(page)).toBe('visible');
    });

    await test.step('the tree of forks leads back', async () => {
      await tabTo(page, forks.getByRole('button', { name: /^Run 2/ }));
      await page.keyboard.press('ArrowUp');
      await page.keyboard.press('Enter');
      await expect(forks.locator('[aria-current]')).toHaveText(/^Run 1/);
      await expect(page.getByLabel('Answer', { exact: true }).last()).toContainText('24 °C');
    });
  },
);

test(
  'the focus in the editor stays in the script when a wide page becomes narrow',
  { tag: '@long' },
  async ({ playground }) => {
    const { page } = playground;
    await playground.open();
    await playground.editor.locator('.view-line').first().click();
    await page.setViewportSize({ width: 390, height: 844 });
    await expect(page.getByRole('region', { name: 'Script' })).toBeFocused();
  },
);
