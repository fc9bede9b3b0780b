import { expect } from 'vitest';
import { createRun, type PromptDefinition } from '@cueline/core';
import type { ScriptedTurn } from '@cueline/core/testing';
import { createStore, stateOf, work, workToEnd, type RunStore, type Worker } from './durable-runs.ts';
import { recordRequests } from './recorded-requests.ts';

/**
 * Kills a run after every `nth` write to its store in turn, and lets another process continue it: each request has to be
 * one of the uninterrupted run's, and only a request that was cut off is made again. Tools have to be without effects.
 */
export async function killAfterWrites(
  make: () => PromptDefinition<never>,
  turns: readonly ScriptedTurn[],
  nth: number,
  input?: unknown,
): Promise<RunStore> {
  const { first, again, asked, unknown } = recordRequests(turns);
  const run = createRun(make() as unknown as PromptDefinition<unknown>, { model: first });
  await run.start(input);
  const inOneProcess = run.getState();
  const whole = createStore();
  await workToEnd({ store: whole, definition: make(), model: again, input });
  expect(unknown).toEqual([]);
  const requests = asked.splice(0);
  expect(requests).toEqual(turns.map((_turn, index) => index));
  expect(stateOf(whole)).toMatchObject({ status: 'done', result: inOneProcess.result });
  expect(stateOf(whole).usage).toEqual(inOneProcess.usage);
  for (let index = 0; index < whole.batches.length; index += nth) {
    const store = createStore();
    const worker: Worker = { store, definition: make(), model: again, input };
    store.failsAt = whole.batches[index] ?? 0;
    const after = `killed after ${store.failsAt} of ${whole.events.length} events`;
    for (let status = 'next'; status === 'next';) ({ status } = await work(worker));
    store.failsAt = Infinity;
    await workToEnd(worker);
    expect(unknown, after).toEqual([]);
    const state = stateOf(store);
    expect(state, after).toMatchObject({ status: 'done', result: inOneProcess.result });
    expect(state.steps.length, after).toBe(inOneProcess.steps.length);
    expect(state.steps.at(-1)?.request, after).toEqual(stateOf(whole).steps.at(-1)?.request);
    const made = asked.splice(0);
    expect([...new Set(made)], after).toEqual(requests);
    expect(made.length, after).toBeLessThanOrEqual(requests.length + 1);
  }
  return whole;
}
