import { expect, test, type Playground } from './playground-page.ts';
import { randomFrom, takeSeed } from './random.ts';

/** A script with a call that only reads and one that asks for an approval. A reply makes both calls again. */
const script = (town: number): string => `import { definePrompt } from '@cueline/core';
import { z } from 'zod';

const pause = () => new Promise((go) => setTimeout(go, 300));

export default definePrompt('walk', (prompt) => {
  prompt.defTool(
    'look',
    'Looks at the sky',
    z.object({}),
    async () => (await pause(), { sky: 'clear' }),
    { effect: 'read' },
  );
  prompt.defTool(
    'book',
    'Books a table',
    z.object({}),
    async () => (await pause(), { booked: true }),
    { effect: 'write', needsApproval: true },
  );
  prompt.$\`Use look and then book for Town ${town}.\`;
});
`;

const MOMENTS = 50;
/** The latest moment of a reload, as a share of the time that a run with its reply takes on this machine. */
const LATEST = 1.1;
/** How many of the interrupted runs the test continues to their end. */
const CONTINUED = 0.2;

/** What the user has seen and done before the reload. */
type Seen = { messages: number; results: number; sent: string | undefined };

/** Watches a run, approves its calls, and replies once, until the page is reloaded. */
async function useRun({ page, status, approval }: Playground, seen: Seen, over: AbortSignal): Promise<void> {
  const results = page.locator('[data-tool]').filter({ hasText: /clear|booked/ });
  while (!over.aborted) {
    seen.messages = Math.max(seen.messages, await page.getByLabel('User message').count());
    seen.results = Math.max(seen.results, await results.count());
    const approve = approval.getByRole('button', { name: 'Approve' });
    // an action that a reload cut off, or that a slow page did not finish in time, is tried again
    if (await approve.isVisible()) await approve.click({ timeout: 5_000 }).catch(() => {});
    const reply = page.getByLabel('Reply', { exact: true });
    if (seen.sent === undefined && (await status.getAttribute('data-status')) === 'done') {
      const text = 'Use look and book once more.';
      await reply.fill(text, { timeout: 5_000 });
      await reply.press('Enter', { timeout: 5_000 });
      seen.sent = text;
    }
    await page.waitForTimeout(50);
  }
}

/** Lets a run and its reply end, and returns how long they took, in milliseconds. */
async function timeRun(playground: Playground): Promise<number> {
  const { page, status } = playground;
  const over = new AbortController();
  const begin = Date.now();
  await playground.run();
  const using = useRun(playground, { messages: 0, results: 0, sent: undefined }, over.signal);
  await expect(page.getByLabel('User message')).toHaveCount(2, { timeout: 120_000 });
  await expect(page.locator('[data-tool]').filter({ hasText: 'booked' })).toHaveCount(2, {
    timeout: 120_000,
  });
  await expect(status).toHaveAttribute('data-status', 'done', { timeout: 120_000 });
  over.abort();
  await using;
  return Date.now() - begin;
}

async function continueRun({ page, status, approval }: Playground): Promise<void> {
  await page.getByRole('button', { name: 'Continue' }).click();
  const approve = approval.getByRole('button', { name: 'Approve' });
  await expect(async () => {
    if (await approve.isVisible()) await approve.click({ timeout: 5_000 });
    await expect(status).toHaveAttribute('data-status', 'done', { timeout: 500 });
  }).toPass({ timeout: 120_000 });
}

test(
  'a reload at any moment of a run keeps the script, the run, and its messages',
  { tag: '@long' },
  async ({ playground }) => {
    test.setTimeout(3_600_000);
    const { page, status } = playground;
    const random = randomFrom(takeSeed());
    await playground.open();
    await playground.write(script(0));
    const course = await timeRun(playground);
    for (let count = 1; count <= MOMENTS; count += 1) {
      const text = script(count);
      const moment = random() * course * LATEST;
      await playground.write(text);
      await page.waitForTimeout(500);
      await playground.run();
      const seen: Seen = { messages: 0, results: 0, sent: undefined };
      const over = new AbortController();
      // an action that the reload cuts off fails
      const using = useRun(playground, seen, over.signal).catch(() => {});
      await page.waitForTimeout(moment);
      // before the reload: a late click would reach the next page
      over.abort();
      await using;
      await page.reload();

      const facts = `moment ${count}: ${Math.round(moment)} ms, ${JSON.stringify(seen)}`;
      await expect(status, facts).toHaveAttribute('data-status', /done|error/);
      expect(await playground.script(), facts).toBe(text);
      const messages = page.getByLabel('User message');
      await expect.poll(() => messages.count(), facts).toBeGreaterThanOrEqual(seen.messages);
      const results = page.locator('[data-tool]').filter({ hasText: /clear|booked/ });
      await expect.poll(() => results.count(), facts).toBeGreaterThanOrEqual(seen.results);
      if (seen.sent !== undefined) {
        const reply = page.getByLabel('Reply', { exact: true });
        const kept = await Promise.all([messages.last().textContent(), reply.inputValue()]);
        expect(kept, facts).toContain(seen.sent);
      }
      const isInterrupted = await page.getByTestId('interrupted').isVisible();
      if (isInterrupted && random() < CONTINUED) await continueRun(playground);
    }
    await page.getByRole('button', { name: 'History' }).click();
    await expect(page.getByTestId('stored-run')).toHaveCount(MOMENTS + 1);
  },
);

test(
  'a reply that a reload interrupts before its answer is sent again',
  { tag: '@long' },
  async ({ playground }) => {
    const { page, status } = playground;
    await playground.open();
    await playground.write(
      "import { definePrompt } from '@cueline/core';\n\nexport default definePrompt('hi', (prompt) => prompt.$`Say hello.`);\n",
    );
    await playground.run();
    expect(await playground.ended()).toBe('done');
    const reply = page.getByLabel('Reply', { exact: true });
    await reply.fill('And goodbye?');
    // the state of the page when the user closes the tab right after Enter
    await page.evaluate(() => {
      document.querySelector<HTMLTextAreaElement>('[aria-label="Reply"]')!.form!.requestSubmit();
      location.reload();
    });
    await expect(status).toHaveAttribute('data-status', /done|error/);
    const again = page.getByRole('button', { name: 'Continue' });
    const isInBox = (await reply.inputValue()) === 'And goodbye?';
    if (isInBox) await reply.press('Enter');
    else await again.click();
    await expect(page.getByLabel('User message').last()).toHaveText('And goodbye?');
    expect(await playground.ended()).toBe('done');
    await expect(page.getByLabel('Answer', { exact: true })).toHaveCount(2);
  },
);
