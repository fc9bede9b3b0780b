import { expect, type Page } from '@playwright/test';
import { watchFaults } from './faults.ts';
import { test as base } from './kept-page.ts';

/** The app as a user sees it, and its performance marks about the model and the guesthouse. */
export type App = {
  readonly page: Page;
  open(hash: string): Promise<void>;
  say(text: string): Promise<void>;
  /** Waits until the run has this status. */
  stands(status: string, timeout?: number): Promise<void>;
  /** How often each was called since the page loaded: `model`, and requests such as `guesthouse:sendMail`. */
  calls(): Promise<Record<string, number>>;
};

/** `test` with the app. It fails on an error on the console, an uncaught error, and a policy report. */
export const test = base.extend<{ app: App; faults: string[] }>({
  faults: async ({ context }, use) => {
    const { faults } = watchFaults(context);
    await context.addInitScript(() =>
      addEventListener('securitypolicyviolation', (event) =>
        // the test records the console
        console.error(`policy: ${event.violatedDirective} ${event.blockedURI}`),
      ),
    );
    await use(faults);
    expect(faults).toEqual([]);
  },
  app: async ({ page, faults: _watched }, use) => use(onPage(page)),
});

/** `address`: of the app, without a hash. */
export function onPage(page: Page, address = '/'): App {
  return {
    page,
    open: async (hash) => {
      await page.goto(address + hash);
      await expect(page.getByRole('heading', { level: 2 }).or(page.getByRole('log')).first()).toBeVisible();
    },
    async say(text) {
      await page.getByLabel('Message').fill(text);
      await page.keyboard.press('Enter');
    },
    stands: (status, timeout) =>
      expect(page.getByTestId('status')).toHaveAttribute(
        'data-status',
        status,
        timeout === undefined ? {} : { timeout },
      ),
    calls: () =>
      page.evaluate(() => {
        const counts: Record<string, number> = {};
        for (const { name } of performance.getEntriesByType('mark')) counts[name] = (counts[name] ?? 0) + 1;
        return counts;
      }),
  };
}

export const answers = (page: Page) => page.locator('[data-message=assistant]');
