import type { RunEvent } from '@cueline/core';
import type { NewRun, RunLogStore } from '@cueline/edge';
import { describe, expect, test } from 'vitest';
import { all, never } from '../route/routes.ts';
import { collect, read, write } from './events.ts';
import { describeRunMessages } from './messages-conformance.ts';

export type StoreUnderTest = {
  /** A store, or another client of the same one: what one writes the other reads. */
  open(): RunLogStore | Promise<RunLogStore>;
  /** Lets this much time go by, as the store sees it. */
  advance(ms: number): void | Promise<void>;
  /** Of what several instances do at the same moment it promises nothing: they are as one then. */
  oneAtATime?: boolean;
  /** How soon readers must get new events, in milliseconds. Default 15. */
  hearMs?: number;
};

/** What every store of runs does, whatever it keeps them in. */
export function describeRunLogStore(
  name: string,
  { open, advance, oneAtATime = false, hearMs = 15 }: StoreUnderTest,
): void {
  let count = 0;
  const pause = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, hearMs));
  const newRun = (more: Partial<NewRun> = {}): NewRun => ({
    runId: `run-${(count += 1)}`,
    subject: `subject-${count}`,
    runMs: 10_000,
    replayMs: 5_000,
    ...more,
  });
  async function setUp(more: Partial<NewRun> = {}) {
    const store = await open();
    const run = newRun(more);
    expect(await store.create(run)).toBe('created');
    return { store, run, runId: run.runId };
  }

  describe(`${name}: runs`, () => {
    test('a run belongs to its subject, and a run that never started to no subject', async () => {
      const { store, run } = await setUp();
      expect((await store.get(run.runId))?.subject).toBe(run.subject);
      expect((await store.get('run-never'))?.subject).toBeUndefined();
    });

    test('a key is one run, for each subject', async () => {
      const { store, run } = await setUp({ key: 'k' });
      expect(await store.create(newRun({ subject: run.subject, key: 'k' }))).toEqual({ runId: run.runId });
      expect(await store.create(newRun({ subject: run.subject, key: 'other' }))).toBe('created');
      expect(await store.create(newRun({ key: 'k' }))).toBe('created');
      expect(await store.find({ subject: run.subject, key: 'k' })).toBe(run.runId);
      expect(await store.find({ subject: run.subject, key: 'never' })).toBeUndefined();
    });

    const where = oneAtATime ? ', in one instance' : '';

    test(`of many starts with one key at the same time${where}, one begins`, async () => {
      const store = await open();
      const other = oneAtATime ? store : await open();
      const { subject } = newRun();
      const created = await Promise.all(
        Array.from({ length: 20 }, (_, index) =>
          (index % 2 === 0 ? store : other).create(newRun({ subject, key: 'k' })),
        ),
      );
      expect(created.filter((one) => one === 'created')).toHaveLength(1);
      const runId = await store.find({ subject, key: 'k' });
      expect(created.filter((one) => one !== 'created')).toEqual(
        Array.from({ length: 19 }, () => ({ runId })),
      );
    });

    test('a conversation has its latest run', async () => {
      const { store, run } = await setUp({ chat: 'c' });
      const next = newRun({ subject: run.subject, chat: 'c' });
      await store.create(next);
      expect(await store.find({ subject: run.subject, chat: 'c' })).toBe(next.runId);
      expect(await store.find({ subject: 'somebody else', chat: 'c' })).toBeUndefined();
      // keys and conversations are not the same names
      expect(await store.find({ subject: run.subject, key: 'c' })).toBeUndefined();
    });

    test('names with any characters are kept apart', async () => {
      const store = await open();
      const id = newRun().runId;
      await store.create(newRun({ subject: `${id}:a`, key: 'b' }));
      await store.create(newRun({ subject: id, key: 'a:b' }));
      await store.create(newRun({ subject: `${id}","x`, key: '{*}\n' }));
      const found = [
        await store.find({ subject: `${id}:a`, key: 'b' }),
        await store.find({ subject: id, key: 'a:b' }),
        await store.find({ subject: `${id}","x`, key: '{*}\n' }),
      ];
      expect(new Set(found).size).toBe(3);
      expect(found).not.toContain(undefined);
    });
  });

  describe(`${name}: events`, () => {
    test('are read from the first, or after a number, by another client too', async () => {
      const { store, runId } = await setUp();
      await write(store, runId, log.slice(0, 2));
      await write(store, runId, log.slice(2));
      const other = await open();
      expect(await all(read(store, runId, -1, never()))).toEqual(log);
      expect(await all(read(other, runId, 1, never()))).toEqual(log.slice(2));
      expect(await all(read(other, runId, log.length - 1, never()))).toEqual([]);
      expect(await all(read(other, runId, Number.MAX_SAFE_INTEGER, never()))).toEqual([]);
    });

    test('come as they happen, to every reader', async () => {
      const { store, runId } = await setUp();
      const other = await open();
      await write(store, runId, log.slice(0, 1));
      const readers = [
        all(read(store, runId, -1, never())),
        all(read(other, runId, -1, never())),
        all(read(other, runId, 1, never())),
      ];
      for (const event of log.slice(1)) {
        await pause();
        await write(store, runId, [event]);
      }
      expect(await Promise.all(readers)).toEqual([log, log, log.slice(2)]);
    });

    test('that were written twice are stored once', async () => {
      const { store, runId } = await setUp();
      await write(store, runId, log.slice(0, 3));
      await write(store, runId, log.slice(1, 4));
      await write(store, runId, log.slice(0, 3));
      await write(store, runId, log.slice(3));
      await write(store, runId, log);
      expect(await all(read(store, runId, -1, never()))).toEqual(log);
    });

    test('end with the first end', async () => {
      const { store, runId } = await setUp();
      await write(store, runId, log);
      await write(store, runId, [
        { seq: log.length, t: 9, type: 'warning', message: 'late' },
        { seq: log.length + 1, t: 9, type: 'run-end', outcome: 'stopped' },
      ]);
      // nor does an earlier one, as another instance may write it at the same moment
      await write(store, runId, [{ seq: 1, t: 1, type: 'run-end', outcome: 'error' }]);
      expect(await all(read(store, runId, -1, never()))).toEqual(log);
    });

    test('only a writer after the end learns that the run is over', async () => {
      const { store, runId } = await setUp();
      const other = await open();
      expect(await write(store, runId, log.slice(0, 2))).toBeUndefined();
      expect(await write(store, runId, log.slice(0, 2))).toBeUndefined();
      expect(await write(other, runId, log)).toBeUndefined();
      expect(await write(store, runId, log.slice(0, 2))).toBe('over');
      expect(await write(other, runId, log)).toBe('over');
    });

    test('a reader that waits for the end alone gets it', async () => {
      const { store, runId } = await setUp();
      let ended = false;
      const end = all(read(store, runId, Number.MAX_SAFE_INTEGER, never())).then(() => (ended = true));
      await write(store, runId, log.slice(0, -1));
      await pause();
      expect(ended).toBe(false);
      await write(store, runId, log.slice(-1));
      expect(await end).toBe(true);
    });

    test('a reader that stops, or whose signal aborts, ends at once, and others continue', async () => {
      const { store, runId } = await setUp();
      const controller = new AbortController();
      const left = collect(read(store, runId, -1, controller.signal));
      const stays = all(read(store, runId, -1, never()));
      const leaving = read(store, runId, -1, never())[Symbol.asyncIterator]();
      await write(store, runId, log.slice(0, 1));
      await expect.poll(() => left.seen).toEqual(log.slice(0, 1));
      controller.abort();
      await left.ended;
      expect(left.seen).toEqual(log.slice(0, 1));
      expect(await all(read(store, runId, -1, AbortSignal.abort()))).toEqual([]);
      expect(await leaving.next()).toEqual({ done: false, value: log[0] });
      await leaving.return?.();
      expect((await leaving.next()).done).toBe(true);
      await write(store, runId, log.slice(1));
      expect(await stays).toEqual(log);
    });

    test('of an unknown run cannot be written or read', async () => {
      const store = await open();
      await expect(write(store, 'run-never', log)).rejects.toThrow('run-never');
      expect(await all(read(store, 'run-never', -1, never()))).toEqual([]);
      expect((await store.get('run-never'))?.subject).toBeUndefined();
    });

    test('are as they were, whatever they are made of', async () => {
      const { store, runId } = await setUp();
      const input: unknown = JSON.parse(
        '{"__proto__":{"a":1},"constructor":{"prototype":{}},"n":"1","":null}',
      );
      const odd: RunEvent[] = [
        { seq: 0, t: 0, type: 'tool-call', id: 'c', name: 'n', input } as unknown as RunEvent,
        { seq: 1, t: 0.5, type: 'text-delta', id: 't', text: '{"__proto__":1}\0\ud800\u2028"\\' },
        { seq: 2, t: 1e21, type: 'text-delta', id: 't', text: 'null' },
        { seq: 3, t: 2, type: 'run-end', outcome: 'done' },
      ];
      await write(store, runId, odd);
      expect(JSON.stringify(await all(read(store, runId, -1, never())))).toBe(JSON.stringify(odd));
    });

    test('are the texts that were written, numbered without gaps, and the last batch is marked', async () => {
      const { store, runId } = await setUp();
      const texts = log.map((event) => JSON.stringify(event).replace('{', '{ '));
      await store.append(runId, { first: 0, items: texts.slice(0, 2), ended: false });
      await store.append(runId, { first: 1, items: texts.slice(1), ended: true });
      const batches = await all(store.read(runId, 0, never()));
      expect(batches.flatMap(({ items }) => items)).toEqual(texts.slice(1));
      let next = 1;
      for (const { first, items } of batches) {
        expect([first, items.length > 0]).toEqual([next, true]);
        next += items.length;
      }
      expect(batches.map(({ ended }) => ended)).toEqual(batches.map((_, at) => at === batches.length - 1));
    });

    test('cannot be written if some are missing before them', async () => {
      const { store, runId } = await setUp();
      await write(store, runId, log.slice(0, 1));
      await expect(write(store, runId, log.slice(2))).rejects.toThrow(runId);
      await write(store, runId, log.slice(1));
      expect(await all(read(store, runId, -1, never()))).toEqual(log);
    });

    test('of a run tell whether it has ended, and with which event', async () => {
      const { store, run, runId } = await setUp();
      await write(store, runId, log.slice(0, 2));
      expect(await store.get(runId)).toEqual({ subject: run.subject, endSeq: undefined });
      await write(store, runId, log);
      expect(await store.get(runId)).toEqual({ subject: run.subject, endSeq: log.length - 1 });
      expect(await (await open()).get(runId)).toEqual({ subject: run.subject, endSeq: log.length - 1 });
    });

    test('large ones and many of them', async () => {
      const { store, runId } = await setUp();
      const many: RunEvent[] = Array.from({ length: 2_000 }, (_, seq) => ({
        seq,
        t: seq,
        type: 'text-delta',
        id: 't',
        text: seq === 1_000 ? 'ü"\n\u2028'.repeat(50_000) : 'x',
      }));
      const end: RunEvent = { seq: 2_000, t: 2_000, type: 'run-end', outcome: 'done' };
      const reading = all(read(store, runId, -1, never()));
      await write(store, runId, many);
      await write(store, runId, [end]);
      expect(await reading).toEqual([...many, end]);
    });
  });

  describeRunMessages(name, { open, setUp });

  describe(`${name}: what is forgotten`, () => {
    const gone = async (store: RunLogStore, { runId, subject }: NewRun) => ({
      subject: (await store.get(runId))?.subject,
      key: await store.find({ subject, key: 'k' }),
      chat: await store.find({ subject, chat: 'c' }),
      events: await all(read(store, runId, -1, never())),
    });
    const nothing = { subject: undefined, key: undefined, chat: undefined, events: [] };

    test('a while after its end, and its key with it', async () => {
      const { store, run, runId } = await setUp({ key: 'k', chat: 'c' });
      await write(store, runId, log);
      await advance(4_000);
      expect(await gone(store, run)).toEqual({ subject: run.subject, key: runId, chat: runId, events: log });
      await advance(1_500);
      expect(await gone(store, run)).toEqual(nothing);
      expect(await store.create(newRun({ subject: run.subject, key: 'k' }))).toBe('created');
    });

    test('at once, if the route asks for it', async ({ skip }) => {
      const { store, run, runId } = await setUp({ key: 'k', chat: 'c' });
      if (store.forget === undefined) return skip();
      await store.forget(runId);
      expect(await gone(store, run)).toEqual(nothing);
      expect(await store.create(newRun({ subject: run.subject, key: 'k' }))).toBe('created');
      return undefined;
    });

    test.each([{ replayMs: Infinity }, { runMs: Infinity }])(
      'and not one that is kept with %o',
      async (more) => {
        const { store, run, runId } = await setUp({ key: 'k', chat: 'c', ...more });
        await write(store, runId, log.slice(0, 2));
        await advance(14_000);
        expect(await store.find({ subject: run.subject, key: 'k' })).toBe(runId);
        expect(await store.find({ subject: run.subject, chat: 'c' })).toBe(runId);
        await write(store, runId, log.slice(2));
        await advance(4_000);
        expect(await all(read(store, runId, -1, never()))).toEqual(log);
      },
    );

    test('and not the latest run of a conversation with an earlier one', async () => {
      const { store, run, runId } = await setUp({ chat: 'c' });
      await write(store, runId, log);
      const next = newRun({ subject: run.subject, chat: 'c' });
      await store.create(next);
      await advance(5_500);
      expect((await store.get(runId))?.subject).toBeUndefined();
      expect(await store.find({ subject: run.subject, chat: 'c' })).toBe(next.runId);
    });

    test('one that never ended, once it should have long ended', async () => {
      const { store, run, runId } = await setUp({ key: 'k', chat: 'c' });
      await write(store, runId, log.slice(0, 2));
      await advance(14_000);
      expect((await store.get(runId))?.subject).toBe(run.subject);
      await advance(1_500);
      expect(await gone(store, run)).toEqual(nothing);
      await expect(write(store, runId, log.slice(2))).rejects.toThrow(runId);
    });

    test('its readers and listeners are done then', async () => {
      const { store, runId } = await setUp({ runMs: 40, replayMs: 20 });
      const reading = all(read(store, runId, -1, never()));
      const listening = all(store.messages(runId, never()));
      await advance(100);
      expect(await reading).toEqual([]);
      expect(await listening).toEqual([]);
    });
  });
}

const log: readonly RunEvent[] = [
  { seq: 0, t: 0, type: 'run-start', v: 2, runId: 'run-x', model: 'm', messages: [], messageId: 'msg-x' },
  { seq: 1, t: 1, type: 'text-start', id: 't' },
  { seq: 2, t: 2, type: 'text-delta', id: 't', text: 'Hello' },
  { seq: 3, t: 3, type: 'text-end', id: 't' },
  { seq: 4, t: 4, type: 'run-end', outcome: 'done', finishReason: 'stop' },
];
