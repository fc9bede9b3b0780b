import type { RunLogStore, RunMessage } from '@cueline/edge';
import { describe, expect, test } from 'vitest';
import { all, never } from '../route/routes.ts';

export type MessagesUnderTest = {
  /** A store, or another client of the same one: what one sends the other receives. */
  open(): RunLogStore | Promise<RunLogStore>;
  /** A store with a new run. */
  setUp(): Promise<{ store: RunLogStore; runId: string }>;
  /** Waits until readers have received what was sent. */
  pause(): Promise<void>;
};

/** What every store of runs does with the messages between its instances. */
export function describeRunMessages(name: string, { open, setUp, pause }: MessagesUnderTest): void {
  describe(`${name}: messages between instances`, () => {
    test('reaches everybody in its order, also those who come later', async () => {
      const { store, runId } = await setUp();
      const other = await open();
      const controller = new AbortController();
      const early = all(store.messages(runId, controller.signal));
      await store.send(runId, { type: 'stop' });
      await other.send(runId, {
        type: 'command',
        id: '1',
        command: { type: 'edit', edit: { type: 'skip', taskId: 'a' } },
      });
      const late = all(other.messages(runId, controller.signal));
      await pause();
      await store.send(runId, { type: 'reply', id: '1', reply: { accepted: true } });
      await pause();
      controller.abort();
      const told = [
        { type: 'stop' },
        { type: 'command', id: '1', command: { type: 'edit', edit: { type: 'skip', taskId: 'a' } } },
        { type: 'reply', id: '1', reply: { accepted: true } },
      ];
      expect(await early).toEqual(told);
      expect(await late).toEqual(told);
    });

    test('is received from now on, without earlier messages', async ({ skip }) => {
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
      const heard = [all(first), all(second)];
      await pause();
      await other.send(runId, reply('3'));
      await pause();
      controller.abort();
      expect(await Promise.all(heard)).toEqual([
        [reply('1'), reply('2'), reply('3')],
        [reply('2'), reply('3')],
      ]);
      expect(await all(await other.listen!('run-never', never()))).toEqual([]);
    });

    test('is kept for those who come later, the latest of it at least', async () => {
      const { store, runId } = await setUp();
      const ids = Array.from({ length: 250 }, (_, index) => String(index));
      const controller = new AbortController();
      const early: RunMessage[] = [];
      const listening = (async () => {
        for await (const message of store.messages(runId, controller.signal)) early.push(message);
      })();
      for (const id of ids) {
        await store.send(runId, { type: 'ping', id });
        // a reader that is there misses none
        if (Number(id) % 100 === 99) await expect.poll(() => early.length).toBe(Number(id) + 1);
      }
      await expect.poll(() => early.length).toBe(250);
      const late = (await open()).messages(runId, controller.signal);
      const told = all(late);
      await pause();
      await pause();
      controller.abort();
      await listening;
      expect(early.map((message) => 'id' in message && message.id)).toEqual(ids);
      const kept = (await told).map((message) => 'id' in message && message.id);
      expect(kept.length).toBeGreaterThanOrEqual(200);
      expect(kept).toEqual(ids.slice(-kept.length));
    }, 30_000);

    test('about a run that is not known is nothing', async () => {
      const store = await open();
      await store.send('run-never', { type: 'stop' });
      expect(await all(store.messages('run-never', never()))).toEqual([]);
    });
  });
}
