import { expect, onTestFinished, test, vi } from 'vitest';
import { createDurable, createMemoryStore, type Durable } from '@cueline/durable';
import { createEffects } from './support/driver-contract.ts';
import { writePages } from './support/prompts.ts';

const prompt = writePages(createEffects());

test.each<[what: string, ask: (durable: Durable) => Promise<unknown>]>([
  ['a start', (durable) => durable.begin({ definition: prompt, input: { book: 'Emma' } })],
  ['a command', (durable) => durable.respond('run-1', { type: 'stop' })],
  ['a wake-up', (durable) => durable.wake('run-1')],
  ['a worker that starts', (durable) => durable.work()],
])('%s fails after 30 seconds if the engine never answers a wake-up', async (_what, ask) => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  const store = createMemoryStore();
  await store.create({ runId: 'run-1', start: { prompt: prompt.name, input: { book: 'Emma' } } });
  const durable = createDurable({
    prompts: [prompt],
    store,
    driver: { wake: () => new Promise(() => {}), work: () => ({ stop: async () => {} }) },
  });
  let error: unknown;
  ask(durable).catch((reason: unknown) => (error = reason));
  await vi.advanceTimersByTimeAsync(31_000);
  expect(String(error)).toBe(
    'Error: There was no answer within 30 seconds. Check that the store and the engine are up.',
  );
});
