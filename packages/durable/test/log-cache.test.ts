import { reduceAll, type RunEvent } from '@cueline/core';
import { createDurable, createMemoryStore, type DurableStore } from '@cueline/durable';
import { expect, test } from 'vitest';
import { createLogCache } from '../src/log-cache.ts';
import { createEffects } from './support/driver-contract.ts';
import { writePages } from './support/prompts.ts';
import { claim } from './support/store-suite.ts';

const { signal } = new AbortController();

/** Wraps a store. `reads` has the number of events of each read. */
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

test('a worker reads only the last known event in each step after the first, however long the log is', async () => {
  const { effects, reads, worker, state } = await open(20);
  const { advance } = worker();
  while ((await advance('run-1', signal)).status === 'next');
  expect(reads).toEqual([0, ...Array(20).fill(1)]);
  expect(await state()).toMatchObject({ status: 'done', result: 'Written.' });
  expect(effects.noted.filter((each) => each === 'model')).toHaveLength(21);
});

test('a worker continues after the steps that another worker has made meanwhile', async () => {
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

test('a worker that could not store its events reads the whole log again', async () => {
  const { store, reads, worker, state } = await open();
  let isDown = false;
  const { advance } = worker({
    ...store,
    append: async (...events) => {
      if (isDown) throw new Error('The store is unavailable.');
      return store.append(...events);
    },
  });
  await advance('run-1', signal);
  isDown = true;
  await expect(advance('run-1', signal)).rejects.toThrow('unavailable');
  isDown = false;
  await advance('run-1', signal);
  expect(reads.at(-1)).toBeGreaterThan(1);
  while ((await advance('run-1', signal)).status === 'next');
  expect((await state()).result).toBe('Written.');
});

test('the whole log is read again if the store has lost events, or has other events in their place', async () => {
  const store = createMemoryStore();
  const warning = (seq: number, message: string): RunEvent => ({
    seq,
    t: message.length,
    type: 'warning',
    message,
  });
  let stored = ['a', 'b', 'c'].map((message, seq) => warning(seq, message));
  const logs = createLogCache({
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
  // first fewer events than before, then as many as before, but different ones
  stored = stored.slice(0, 2);
  expect(await claim()).toEqual(stored);
  stored = [stored[0]!, warning(1, 'other'), warning(2, 'another')];
  expect(await claim()).toEqual(stored);
});

test('the cache keeps the logs that were used last, up to `maxLogs`, and no log larger than `maxSize`', async () => {
  const inner = createMemoryStore();
  const { store, reads } = counting(inner);
  const logs = createLogCache(store, { maxLogs: 2, maxSize: 1_000 });
  /** Claims a run and keeps its log. Returns how many events were read. */
  async function use(runId: string): Promise<number | undefined> {
    const claimed = await logs.claim(runId);
    if (typeof claimed === 'object') logs.keep(runId, claimed.log);
    return reads.at(-1);
  }
  async function create(runId: string, length: number): Promise<void> {
    await inner.create({ runId, start: { prompt: 'p' } });
    const claimed = await claim(inner, runId);
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
  // the third log replaces the one that was used longest ago
  expect([await use('c'), await use('a'), await use('b')]).toEqual([2, 1, 2]);
  expect([await use('long'), await use('long')]).toEqual([2, 2]);
  expect([await use('half'), await use('half'), await use('b')]).toEqual([2, 1, 1]);
});
