import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test as base, type Page } from '@playwright/test';
import { startEdgeServer, type EdgeServer } from './edge-server.ts';

type Desk = {
  edge: EdgeServer;
  folder: string;
  /** The requests that tools have sent to the guesthouse, such as `guesthouse:sendMail`, in all processes. */
  requests(): string[];
};

const test = base.extend<{ desk: Desk }>({
  // oxlint-disable-next-line no-empty-pattern -- Playwright reads the fixture names from this pattern
  desk: async ({}, use) => {
    const folder = await mkdtemp(join(tmpdir(), 'cueline-runs-'));
    const edge = await startEdgeServer({ DURABLE: folder, GUESTHOUSE_MS: '1000' });
    const requests = (): string[] =>
      edge.events.map(({ type }) => type).filter((type) => type.startsWith('guesthouse:'));
    await use({ edge, folder, requests });
    await edge.close();
    await rm(folder, { recursive: true, force: true });
  },
});

/** Asks for a mail on a page that is not reloaded. */
async function askForMail(page: Page, { edge }: Desk): Promise<void> {
  await page.goto(`${edge.url}/?where=route#/chat`);
  await page.evaluate(() => Object.assign(globalThis, { isSamePage: true }));
  await page.getByLabel('Message').fill('Tell Grace that her room is ready');
  await page.keyboard.press('Enter');
}

/** Checks that the run has ended on the same page, and that the page shows each of these texts once. */
async function checkPage(page: Page, texts: readonly string[]): Promise<void> {
  await expect(page.getByTestId('status')).toHaveAttribute('data-status', 'done');
  const shown = (await page.getByRole('log').textContent()) ?? '';
  for (const text of texts) expect(shown.split(text), text).toHaveLength(2);
  await expect(page.locator('[data-tool]')).toHaveCount(2);
  await expect(page.getByTestId('approval')).toHaveCount(0);
  expect(await page.evaluate(() => 'isSamePage' in globalThis)).toBe(true);
}

const begins = ['Tell Grace that', 'I look for Grace', 'I write the mail'];

test('an open page shows its run to the end after the server crashes, and a mail that may have been sent is not sent again', async ({
  page,
  desk,
}) => {
  const { edge, folder, requests } = desk;
  await askForMail(page, desk);
  const killed = edge.killAt('guesthouse:sendMail');
  await page.getByRole('button', { name: 'Approve' }).click();
  await killed;
  await expect(page.locator('[data-tool=sendMail]')).toHaveAttribute('data-state', 'running');
  await edge.startAgain();
  // the model reads what happened, and reports it
  await expect(page.locator('[data-message=assistant]').last()).toContainText(
    'That did not work. This call was interrupted before its end. It may have taken effect',
  );
  await checkPage(page, [...begins, 'That did not work']);
  expect(requests()).toEqual(['guesthouse:findBooking', 'guesthouse:sendMail']);
  expect((await stat(join(folder, 'session-secret'))).mode & 0o777).toBe(0o600);
});

test(
  'an open page shows its run to the end after the server crashes, and a tool that only reads is called again',
  { tag: '@long' },
  async ({ page, desk }) => {
    const { edge, requests } = desk;
    const killed = edge.killAt('guesthouse:findBooking');
    await askForMail(page, desk);
    await killed;
    await edge.startAgain();
    await page.getByRole('button', { name: 'Approve' }).click();
    await checkPage(page, [...begins, 'Sent to grace@example.com']);
    expect(requests()).toEqual(['guesthouse:findBooking', 'guesthouse:findBooking', 'guesthouse:sendMail']);
  },
);
