import type { RunEvent } from '@cueline/core';
import { createDurable, createMemoryStore, type Durable, type DurableStore } from '@cueline/durable';
import { expect, onTestFinished, test, vi } from 'vitest';
import { createEffects } from './support/driver-contract.ts';
import { writePages } from './support/prompts.ts';

/**
 * Starts a worker that advances nothing. Returns which runs it wakes, its errors, and `more`, which waits for more
 * sweeps.
 */
async function openSweep(change: (store: DurableStore) => Partial<DurableStore>) {
  const inner = createMemoryStore();
  const changed: DurableStore = { ...inner, ...change(inner) };
  const woken: string[] = [];
  const errors: unknown[] = [];
  let sweeps = 0;
  const durable = createDurable({
    prompts: [],
    store: {
      ...changed,
      unfinished() {
        sweeps += 1;
        return changed.unfinished();
      },
    },
    driver: {
      wake: async (runId) => void woken.push(runId),
      work: () => ({ stop: async () => {} }),
    },
    onError: (error) => errors.push(error),
  });
  const worker = await durable.work({ sweepMs: 5 });
  onTestFinished(() => worker.stop());
  const more = async (count: number): Promise<void> => {
    const until = sweeps + count;
    await expect.poll(() => sweeps).toBeGreaterThan(until);
  };
  return { inner, woken, errors, more };
}

test('a run that was stored without a wake-up begins at a later sweep, or when a worker starts', async () => {
  const store = createMemoryStore();
  const prompt = writePages(createEffects());
  const durable: Durable = createDurable({ prompts: [prompt], store });
  const worker = await durable.work({ sweepMs: 10 });
  onTestFinished(() => worker.stop());
  await store.create({ runId: 'run-1', start: { prompt: prompt.name, input: { book: 'Emma' } } });
  await expect.poll(async () => (await store.read('run-1', -1))?.ended, { timeout: 10_000 }).toBe(true);
  await worker.stop();
  await store.create({ runId: 'run-2', start: { prompt: prompt.name, input: { book: 'Emma' } } });
  const never = await durable.work({ sweepMs: Infinity });
  onTestFinished(() => never.stop());
  await expect.poll(async () => (await store.read('run-2', -1))?.ended, { timeout: 10_000 }).toBe(true);
});

test('a sweep reads no events, and wakes only runs that have none', async () => {
  let reads = 0;
  const { inner, woken, more } = await openSweep((store) => ({
    read(runId, afterSeq) {
      reads += 1;
      return store.read(runId, afterSeq);
    },
  }));
  await inner.create({ runId: 'begun', start: { prompt: 'planDay' } });
  const claimed = (await inner.claim('begun', -1)) as { epoch: number };
  const event = { seq: 0, t: 0, type: 'warning', message: 'It has begun.' } as RunEvent;
  await inner.append('begun', claimed.epoch, [event]);
  await inner.create({ runId: 'not begun', start: { prompt: 'planDay' } });
  await expect.poll(() => woken).toContain('not begun');
  await more(2);
  expect(woken).not.toContain('begun');
  expect(reads).toBe(0);
});

test('an outage that lasts for several sweeps is reported once', async () => {
  let isDown = false;
  const { errors, more } = await openSweep((store) => ({
    async unfinished() {
      if (isDown) throw new Error('The store is unavailable.');
      return store.unfinished();
    },
  }));
  for (const outages of [1, 2]) {
    isDown = true;
    await more(3);
    expect(errors.map(String)).toEqual(Array(outages).fill('Error: The store is unavailable.'));
    isDown = false;
    await more(2);
  }
});

test('a run that is listed before it is stored is woken once it is stored', async () => {
  let isListed = false;
  const { inner, woken, more } = await openSweep(() => ({
    unfinished: async () => (isListed ? ['run-1'] : []),
  }));
  isListed = true;
  await more(3);
  expect(woken).toEqual([]);
  await inner.create({ runId: 'run-1', start: { prompt: 'planDay' } });
  await expect.poll(() => woken).toContain('run-1');
});

test('a run that is listed when the worker starts and stored later is woken by a sweep', async () => {
  let isStored = false;
  const { inner, woken } = await openSweep((store) => ({
    unfinished: async () => ['run-1'],
    find: async (which) => (isStored ? store.find(which) : undefined),
  }));
  // the worker wakes the run at its start, before the run is stored
  expect(woken).toEqual(['run-1']);
  await inner.create({ runId: 'run-1', start: { prompt: 'planDay' } });
  isStored = true;
  await expect.poll(() => woken.length).toBeGreaterThan(1);
});

test('a listed run that never exists is looked up less and less often', async () => {
  let finds = 0;
  const { more } = await openSweep(() => ({
    unfinished: async () => ['run-1'],
    find: async () => void (finds += 1),
  }));
  await more(20);
  // after 0, 1, 2, 4, 8 and 16 sweeps; a slow machine may make more sweeps
  expect(finds).toBeGreaterThanOrEqual(6);
  expect(finds).toBeLessThan(12);
});

test('a sweep that gets no answer is reported, and the store is asked again', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval'] });
  onTestFinished(() => void vi.useRealTimers());
  let calls = 0;
  const { errors } = await openSweep(() => ({
    unfinished: () => ((calls += 1) === 2 ? new Promise(() => {}) : Promise.resolve([])),
  }));
  await vi.advanceTimersByTimeAsync(40_000);
  expect(errors.map(String)).toEqual([
    'Error: There was no answer within 30 seconds. Check that the store and the engine are up.',
  ]);
  expect(calls).toBeGreaterThan(2);
});
