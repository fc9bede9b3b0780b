import type { LanguageModelV4, LanguageModelV4CallOptions } from '@ai-sdk/provider';
import { createRun, type PromptDefinition } from '@cueline/core';
import { scriptedModel, type ScriptedTurn } from '@cueline/core/testing';
import { expect } from 'vitest';
import { createStore, stateOf, work, workToEnd, type RunStore, type Worker } from './durable-runs.ts';
import { sampled } from './sample.ts';

/**
 * Kills a run after any write to its store, and lets another process continue it: each request has to be
 * one of the uninterrupted run's, and only a request that was cut off is made again. Tools have to be without effects.
 */
export async function killAfterWrites(
  make: () => PromptDefinition<never>,
  turns: readonly ScriptedTurn[],
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
  for (const failsAt of sampled(whole.batches, 16)) {
    const store = createStore();
    const worker: Worker = { store, definition: make(), model: again, input };
    store.failsAt = failsAt;
    const after = `killed after ${failsAt} of ${whole.events.length} events`;
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

/** The requests of an uninterrupted run, and a model that answers only those. */
type RecordedRequests = {
  /** Answers the nth request with the nth turn, and notes the request. */
  first: LanguageModelV4;
  /** Answers the same requests in the same way. Any other request fails the test. */
  again: () => LanguageModelV4;
  /** What `again` was asked: the numbers of the requests, in order. */
  asked: number[];
  /** Requests that the uninterrupted run did not make. */
  unknown: string[];
};

/** Records what a run asks, to compare it with a run that is interrupted. */
function recordRequests(turns: readonly ScriptedTurn[]): RecordedRequests {
  const requests: string[] = [];
  const asked: number[] = [];
  const unknown: string[] = [];
  const answer = (turn: ScriptedTurn): LanguageModelV4 => scriptedModel([turn], { chunkSize: 2_000 });
  const textOf = ({ prompt, toolChoice, tools }: LanguageModelV4CallOptions): string =>
    JSON.stringify({ prompt, toolChoice, tools });
  return {
    first: {
      ...scriptedModel([]),
      doStream(call) {
        requests.push(textOf(call));
        return answer(turns[requests.length - 1] ?? 'No turn is left.').doStream(call);
      },
    },
    again: () => ({
      ...scriptedModel([]),
      doStream(call) {
        const text = textOf(call);
        const index = requests.indexOf(text);
        if (index < 0) unknown.push(text);
        asked.push(index);
        return answer(turns[index] ?? 'This was not asked before.').doStream(call);
      },
    }),
    asked,
    unknown,
  };
}
