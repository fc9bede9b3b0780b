import { expect, test } from 'vitest';
import { reduceAll, type RunEvent } from '@cueline/core';
import { createDurable, createMemoryStore, type DurableStore } from '@cueline/durable';
import { createKnownLogs } from '../src/known-logs.ts';
import { createEffects } from './support/driver-contract.ts';
import { writePages } from './support/prompts.ts';

const { signal } = new AbortController();

/** A store that says how many events each step has read. */
function counting(inner: DurableStore): { store: DurableStore; reads: number[] } {
  const reads: number[] = [];
  return {
    reads,
    store: {
      ...inner,
      async claim(runId, afterSeq) {
        const claimed = await inner.claim(runId, afterSeq);
        if (typeof claimed === 'object') reads.push(claimed.events.length);
        return claimed;
      },
      async read(runId, afterSeq) {
        const read = await inner.read(runId, afterSeq);
        reads.push(read?.events.length ?? 0);
        return read;
      },
    },
  };
}

async function open(steps = 3) {
  const effects = createEffects();
  const prompt = writePages(effects, { steps });
  const { store, reads } = counting(createMemoryStore());
  await store.create({ runId: 'run-1', start: { prompt: prompt.name, input: { book: 'Emma' } } });
  const worker = (of: DurableStore = store) => createDurable({ prompts: [prompt], store: of });
  const state = async () => reduceAll((await store.read('run-1', -1))?.events ?? []);
  return { effects, store, reads, worker, state };
}

test('a step reads the last known event only, however long the log is', async () => {
  const { effects, reads, worker, state } = await open(20);
  const { advance } = worker();
  while ((await advance('run-1', signal)).status === 'next');
  expect(reads).toEqual([0, ...Array(20).fill(1)]);
  expect(await state()).toMatchObject({ status: 'done', result: 'Written.' });
  expect(effects.noted.filter((each) => each === 'model')).toHaveLength(21);
});

test('a worker whose run another one has advanced meanwhile continues after that', async () => {
  const { effects, worker, state } = await open();
  const [one, other] = [worker(), worker()];
  await one.advance('run-1', signal);
  await other.advance('run-1', signal);
  await one.advance('run-1', signal);
  expect(await other.advance('run-1', signal)).toEqual({ status: 'done' });
  expect((await state()).result).toBe('Written.');
  expect(effects.noted.filter((each) => each === 'model')).toHaveLength(4);
  expect(effects.noted.filter((each) => each.startsWith('write'))).toHaveLength(3);
});

test('a worker that cannot store its events reads the log anew', async () => {
  const { store, reads, worker, state } = await open();
  let away = false;
  const { advance } = worker({
    ...store,
    append: async (...events) => {
      if (away) throw new Error('The store is away.');
      return store.append(...events);
    },
  });
  await advance('run-1', signal);
  away = true;
  await expect(advance('run-1', signal)).rejects.toThrow('away');
  away = false;
  await advance('run-1', signal);
  expect(reads.at(-1)).toBeGreaterThan(1);
  while ((await advance('run-1', signal)).status === 'next');
  expect((await state()).result).toBe('Written.');
});

test('a store that has lost events and got others is read anew', async () => {
  const store = createMemoryStore();
  const warning = (seq: number, message: string): RunEvent => ({
    seq,
    t: message.length,
    type: 'warning',
    message,
  });
  let stored = ['a', 'b', 'c'].map((message, seq) => warning(seq, message));
  const logs = createKnownLogs({
    ...store,
    claim: async (_runId, afterSeq) => ({
      epoch: 1,
      start: { prompt: 'p' },
      commands: [],
      events: stored.slice(afterSeq + 1),
    }),
    read: async (_runId, afterSeq) => ({ events: stored.slice(afterSeq + 1), ended: false }),
  });
  const claim = async (): Promise<readonly RunEvent[]> => {
    const claimed = await logs.claim('run-2');
    if (typeof claimed !== 'object') throw new Error('not claimed');
    logs.keep('run-2', claimed.log);
    return claimed.log.events;
  };
  expect(await claim()).toEqual(stored);
  stored = [...stored, warning(3, 'd')];
  expect(await claim()).toEqual(stored);
  // fewer than were known, and then as many again, but others
  stored = stored.slice(0, 2);
  expect(await claim()).toEqual(stored);
  stored = [stored[0]!, warning(1, 'other'), warning(2, 'another')];
  expect(await claim()).toEqual(stored);
});

test('no more logs are kept than a worker may keep, and none that is longer than all may be', async () => {
  const inner = createMemoryStore();
  const { store, reads } = counting(inner);
  const logs = createKnownLogs(store, { maxLogs: 2, maxSize: 1_000 });
  /** Claims a run and keeps its log. Returns how many events were read. */
  async function use(runId: string): Promise<number | undefined> {
    const claimed = await logs.claim(runId);
    if (typeof claimed === 'object') logs.keep(runId, claimed.log);
    return reads.at(-1);
  }
  async function create(runId: string, length: number): Promise<void> {
    await inner.create({ runId, start: { prompt: 'p' } });
    const claimed = await inner.claim(runId, -1);
    if (typeof claimed !== 'object') throw new Error('not claimed');
    const message = 'x'.repeat(length);
    await inner.append(
      runId,
      claimed.epoch,
      [0, 1].map((seq) => ({ seq, t: seq, type: 'warning', message })),
    );
  }
  for (const runId of ['a', 'b', 'c']) await create(runId, 1);
  await create('half', 200);
  await create('long', 600);
  expect([await use('a'), await use('b'), await use('a')]).toEqual([2, 2, 1]);
  // the third takes the place of the one that was used longest ago
  expect([await use('c'), await use('a'), await use('b')]).toEqual([2, 1, 2]);
  expect([await use('long'), await use('long')]).toEqual([2, 2]);
  expect([await use('half'), await use('half'), await use('b')]).toEqual([2, 1, 1]);
});
