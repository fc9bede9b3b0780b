import { createDurable, createMemoryStore, type Durable, type DurableStore } from '@cueline/durable';
import { expect, onTestFinished, test, vi } from 'vitest';
import { createEffects } from './support/driver-contract.ts';
import { writePages } from './support/prompts.ts';

const prompt = writePages(createEffects());

const never = (): Promise<never> => new Promise(() => {});

type Ask = (durable: Durable) => Promise<unknown>;
const begin: Ask = (durable) => durable.begin({ definition: prompt, input: { book: 'Emma' } });
const stop: Ask = (durable) => durable.respond('run-1', { type: 'stop' });
const work: Ask = (durable) => durable.work();

test.each<[what: string, silent: keyof DurableStore | 'wake', ask: Ask]>([
  ['a start', 'wake', begin],
  ['a command', 'wake', stop],
  ['a wake-up', 'wake', (durable) => durable.wake('run-1')],
  ['a worker that starts', 'wake', work],
  ['a start', 'create', begin],
  ['a command', 'read', stop],
  ['a command', 'send', stop],
  ['a worker that starts', 'unfinished', work],
  ['a search', 'find', (durable) => durable.find({ runId: 'run-1' })],
])('%s fails after 30 seconds if the store or the engine never answers (%s)', async (_what, silent, ask) => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  const inner = createMemoryStore();
  await inner.create({ runId: 'run-1', start: { prompt: prompt.name, input: { book: 'Emma' } } });
  const isWake = silent === 'wake';
  const durable = createDurable({
    prompts: [prompt],
    store: isWake ? inner : { ...inner, [silent]: never },
    driver: { wake: isWake ? never : async () => {}, work: () => ({ stop: async () => {} }) },
  });
  let error: unknown;
  ask(durable).catch((reason: unknown) => (error = reason));
  await vi.advanceTimersByTimeAsync(31_000);
  expect(String(error)).toBe(
    'Error: There was no answer within 30 seconds. Check that the store and the engine are up.',
  );
});
