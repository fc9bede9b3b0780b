import { createRun } from '@cueline/core';
import {
  createDurable,
  createMemoryStore,
  inProcessDriver,
  type DurableStore,
  type InProcessDriverOptions,
} from '@cueline/durable';
import { expect, onTestFinished, test, vi } from 'vitest';
import { createEffects } from './support/driver-contract.ts';
import { driverSuite } from './support/driver-suite.ts';
import { writePages } from './support/prompts.ts';

const shared = createMemoryStore();

driverSuite('in process', {
  createDriver: (options) => inProcessDriver({ onError: () => {}, ...options }),
  createStore: async () => shared,
});

/** Opens a worker with fake timers. `change` changes its store. */
async function openWorker(
  change: (inner: DurableStore) => Partial<DurableStore>,
  options: InProcessDriverOptions = {},
) {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval'] });
  onTestFinished(() => void vi.useRealTimers());
  const inner = createMemoryStore();
  const errors: string[] = [];
  const effects = createEffects();
  const prompt = writePages(effects);
  const durable = createDurable({
    prompts: [prompt],
    store: { ...inner, ...change(inner) },
    driver: inProcessDriver({ onError: (error) => errors.push(String(error)), ...options }),
  });
  const worker = await durable.work();
  onTestFinished(() => void worker.stop());
  const begin = async (): Promise<string> =>
    (await durable.begin({ definition: prompt, input: { book: 'Emma' } })).runId;
  const pages = (): string[] => effects.noted.filter((each) => each.startsWith('write'));
  return { inner, durable, worker, prompt, begin, errors, pages };
}

const isEnded = async (store: DurableStore, runId: string): Promise<boolean | undefined> =>
  (await store.read(runId, -1))?.ended;

test.each(['find', 'claim', 'append', 'forget'] as const)(
  'a step whose %s gets no answer from the store is repeated, and nothing is written twice',
  async (method) => {
    let calls = 0;
    const { inner, begin, errors, pages } = await openWorker((store) => ({
      [method]: (...given: never[]) =>
        (calls += 1) === 1
          ? new Promise(() => {})
          : (store[method] as (...given: never[]) => unknown)(...given),
    }));
    const runId = await begin();
    await vi.advanceTimersByTimeAsync(40_000);
    expect(await isEnded(inner, runId)).toBe(true);
    expect(errors).toEqual([
      'Error: There was no answer within 30 seconds. Check that the store and the engine are up.',
    ]);
    expect(pages()).toEqual(['write Emma 0', 'write Emma 1', 'write Emma 2']);
  },
);

test('a run continues if a claim without an answer takes it over later, during the next attempt', async () => {
  let claims = 0;
  let appends = 0;
  const { inner, begin, pages } = await openWorker((store) => ({
    async claim(runId, afterSeq) {
      claims += 1;
      if (claims === 1) await new Promise((resolve) => setTimeout(resolve, 35_000));
      return store.claim(runId, afterSeq);
    },
    async append(...given) {
      appends += 1;
      // until the late claim has happened
      if (appends === 1) await new Promise((resolve) => setTimeout(resolve, 10_000));
      return store.append(...given);
    },
  }));
  const runId = await begin();
  await vi.advanceTimersByTimeAsync(60_000);
  expect(await isEnded(inner, runId)).toBe(true);
  expect(pages()).toEqual(['write Emma 0', 'write Emma 1', 'write Emma 2']);
});

test('a reader gets the events after a read that the store never answers', async () => {
  let reads = 0;
  const { durable, prompt } = await openWorker((store) => ({
    read: async (...given) => ((reads += 1) === 1 ? new Promise(() => {}) : store.read(...given)),
  }));
  const run = createRun(prompt, { executor: durable.executor });
  const result = run.start({ book: 'Emma' });
  await vi.advanceTimersByTimeAsync(15_000);
  expect(await result).toBe('Written.');
});

test('a worker stops although the store does not answer a step', async () => {
  const { worker, begin } = await openWorker(() => ({ claim: () => new Promise(() => {}) }), {
    graceMs: 100,
  });
  await begin();
  let isStopped = false;
  void worker.stop().then(() => (isStopped = true));
  await vi.advanceTimersByTimeAsync(5_000);
  expect(isStopped).toBe(true);
});

test('a step that fails while its worker stops leaves no timer', async () => {
  const { worker, begin, errors } = await openWorker(() => ({
    async claim() {
      await new Promise((resolve) => setTimeout(resolve, 50));
      throw new Error('The pool is closed.');
    },
  }));
  await begin();
  const stopped = worker.stop();
  await vi.advanceTimersByTimeAsync(50);
  await stopped;
  expect(errors).toEqual(['Error: The pool is closed.']);
  expect(vi.getTimerCount()).toBe(0);
});

test.each<[string, () => unknown]>([
  [
    'throws',
    () => {
      throw new Error('mine');
    },
  ],
  ['rejects', () => Promise.reject(new Error('mine'))],
])('a step is tried again, and its worker goes on, if onError %s', async (_name, onError) => {
  const report = vi.spyOn(console, 'error').mockImplementation(() => {});
  onTestFinished(() => report.mockRestore());
  let failures = 0;
  const { inner, begin } = await openWorker(
    (store) => ({
      claim: async (...given) => {
        if ((failures += 1) === 1) throw new Error('The store is away.');
        return store.claim(...given);
      },
    }),
    { onError },
  );
  const runId = await begin();
  await vi.advanceTimersByTimeAsync(1_000);
  expect(await isEnded(inner, runId)).toBe(true);
  expect(report).toHaveBeenCalledTimes(1);
});
