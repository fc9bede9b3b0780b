import type { RunLogStore, RunMessage } from '@cueline/edge';
import { describe, expect, test } from 'vitest';
import { all, never } from '../route/routes.ts';
import { collect } from './events.ts';

export type MessagesUnderTest = {
  /** A store, or another client of the same one: what one sends the other receives. */
  open(): RunLogStore | Promise<RunLogStore>;
  /** A store with a new run. */
  setUp(): Promise<{ store: RunLogStore; runId: string }>;
};

/** What every store of runs does with the messages between its instances. */
export function describeRunMessages(name: string, { open, setUp }: MessagesUnderTest): void {
  describe(`${name}: messages between instances`, () => {
    test('reach every reader in the order in which they were sent, also readers that come later', async () => {
      const { store, runId } = await setUp();
      const other = await open();
      const controller = new AbortController();
      const messages: RunMessage[] = [
        { type: 'stop' },
        { type: 'command', id: '1', command: { type: 'edit', edit: { type: 'skip', taskId: 'a' } } },
        { type: 'reply', id: '1', reply: { accepted: true } },
      ];
      const early = collect(store.messages(runId, controller.signal));
      await store.send(runId, messages[0]!);
      await other.send(runId, messages[1]!);
      const late = collect(other.messages(runId, controller.signal));
      await expect.poll(() => late.seen).toEqual(messages.slice(0, 2));
      await store.send(runId, messages[2]!);
      for (const { seen } of [early, late]) await expect.poll(() => seen).toEqual(messages);
      controller.abort();
      await Promise.all([early.ended, late.ended]);
      expect([early.seen, late.seen]).toEqual([messages, messages]);
    });

    test('are received from now on, without earlier messages', async ({ skip }) => {
      const { store, runId } = await setUp();
      const other = await open();
      skip(other.listen === undefined);
      const controller = new AbortController();
      const reply = (id: string) => ({ type: 'reply', id, reply: { accepted: true } }) as const;
      const first = await other.listen!(runId, controller.signal);
      await store.send(runId, reply('1'));
      // sent before anything reads, and by another client
      const second = await other.listen!(runId, controller.signal);
      await store.send(runId, reply('2'));
      const received = [collect(first), collect(second)];
      for (const { seen } of received) await expect.poll(() => seen.at(-1)).toEqual(reply('2'));
      await other.send(runId, reply('3'));
      for (const { seen } of received) await expect.poll(() => seen.at(-1)).toEqual(reply('3'));
      controller.abort();
      await Promise.all(received.map(({ ended }) => ended));
      expect(received.map(({ seen }) => seen)).toEqual([
        [reply('1'), reply('2'), reply('3')],
        [reply('2'), reply('3')],
      ]);
      expect(await all(await other.listen!('run-never', never()))).toEqual([]);
    });

    test('are kept for readers that come later, the latest 200 at least', async () => {
      const { store, runId } = await setUp();
      const pings = Array.from({ length: 250 }, (_, index) => ({ type: 'ping', id: String(index) }) as const);
      const controller = new AbortController();
      const early = collect(store.messages(runId, controller.signal));
      for (const [index, ping] of pings.entries()) {
        await store.send(runId, ping);
        // a reader that is there misses none
        if (index % 100 === 99) await expect.poll(() => early.seen).toHaveLength(index + 1);
      }
      await expect.poll(() => early.seen).toHaveLength(250);
      const late = collect((await open()).messages(runId, controller.signal));
      await expect.poll(() => late.seen.at(-1)).toEqual(pings.at(-1));
      controller.abort();
      await Promise.all([early.ended, late.ended]);
      expect(early.seen).toEqual(pings);
      expect(late.seen.length).toBeGreaterThanOrEqual(200);
      expect(late.seen).toEqual(pings.slice(-late.seen.length));
    }, 30_000);

    test('are kept for readers that come later, the latest 4 MiB of long ones', async () => {
      const { store, runId } = await setUp();
      const send = (id: string, length: number): Promise<void> =>
        store.send(runId, { type: 'reply', id, reply: { accepted: false, reason: 'x'.repeat(length) } });
      /** The ids that a later reader gets, up to this one. */
      const idsTo = async (last: string): Promise<string[]> => {
        const controller = new AbortController();
        const { seen, ended } = collect((await open()).messages(runId, controller.signal));
        const ids = (): string[] => seen.map((message) => ('id' in message ? message.id : ''));
        await expect.poll(() => ids().at(-1), { timeout: 5_000 }).toBe(last);
        controller.abort();
        await ended;
        return ids();
      };
      for (const id of ['1', '2', '3', '4', '5', '6']) await send(id, 1_000_000);
      expect(await idsTo('6')).toEqual(['3', '4', '5', '6']);
      await send('huge', 5_000_000);
      expect(await idsTo('huge')).toEqual(['huge']);
    }, 30_000);

    test('to an unknown run are not kept', async () => {
      const store = await open();
      await store.send('run-never', { type: 'stop' });
      expect(await all(store.messages('run-never', never()))).toEqual([]);
    });
  });
}
