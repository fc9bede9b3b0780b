import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect as expectSoon, test } from '@playwright/test';
import { startEdgeServer } from './edge-server.ts';

const expect = expectSoon.configure({ timeout: 15_000 });

test('an open page sees its run through two crashes of the server, and no mail is sent twice', async ({
  page,
}) => {
  const folder = await mkdtemp(join(tmpdir(), 'cueline-runs-'));
  const edge = await startEdgeServer({ DURABLE: folder, HOUSE_MS: '2000' });
  const requests = (): string[] =>
    edge.events.map(({ type }) => type).filter((type) => type.startsWith('house:'));
  try {
    await page.goto(`${edge.url}/?where=route#/chat`);
    let loads = 0;
    page.on('load', () => (loads += 1));
    const status = page.getByTestId('status');
    const killedInRead = edge.killAt('house:findBooking');
    await page.getByLabel('Message').fill('Tell Grace that her room is ready');
    await page.keyboard.press('Enter');
    await killedInRead;
    await edge.startAgain();
    // a call that only reads is made again, and the run reaches the mail
    await expect(page.getByTestId('approval')).toBeVisible();
    expect(requests()).toEqual(['house:findBooking', 'house:findBooking']);

    const killedInWrite = edge.killAt('house:sendMail');
    await page.getByRole('button', { name: 'Approve' }).click();
    await killedInWrite;
    await expect(page.locator('[data-tool=sendMail]')).toHaveAttribute('data-state', 'running');
    await edge.startAgain();
    // the model reads what happened, and says so
    await expect(page.locator('[data-message=assistant]').last()).toContainText(
      'This call was interrupted before its end. It may have taken effect',
    );
    await expect(status).toHaveAttribute('data-status', 'done');
    expect(requests()).toEqual(['house:findBooking', 'house:findBooking', 'house:sendMail']);

    const conversation = page.getByRole('log');
    await expect(page.locator('[data-tool]')).toHaveCount(2);
    await expect(page.getByTestId('approval')).toHaveCount(0);
    const text = (await conversation.textContent()) ?? '';
    for (const once of ['Tell Grace that', 'I look for Grace', 'I write the mail', 'That did not work']) {
      expect(text.split(once), once).toHaveLength(2);
    }
    expect(loads).toBe(0);
    expect((await stat(join(folder, 'session-secret'))).mode & 0o777).toBe(0o600);
  } finally {
    await edge.close();
    await rm(folder, { recursive: true, force: true });
  }
});
