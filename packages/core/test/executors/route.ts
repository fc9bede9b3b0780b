import { createRun, CuelineError, definePrompt, viaRoute } from '@cueline/core';
import type { RouteOptions, RunEvent, RunRequest } from '@cueline/core';
import { scriptedModel, type ScriptedTurn } from '@cueline/core/testing';
import { expect } from 'vitest';
import * as z from 'zod';
import { call } from '../support.ts';
import { createHub, type HubOptions } from '../support/memory-route.ts';

export const address = 'https://example.test/api/greet';

export const greet = definePrompt('greet', (prompt, input: { name: string }) => {
  prompt.defTool('look', 'Looks', z.object({ at: z.string() }), ({ at }) => `seen ${at}`);
  prompt.defTool('send', 'Sends', z.object({}), () => 'sent', { effect: 'external' });
  prompt.$`Greet ${input.name}.`;
});
export const turns: ScriptedTurn[] = [[call('look', { at: 'Ada' })], 'Hello Ada.'];
/** A run that asks for an approval. */
export const asking: ScriptedTurn[] = [[call('send')], 'Done.'];
/** Says a word, and is still at it when the test is over. */
export const endless: ScriptedTurn[] = [[{ text: 'Wait' }, { delay: 60_000 }, { text: '.' }]];

/** `greet` behind a hub, the executor that calls it, and a run on that. */
export function setUp(
  script: readonly ScriptedTurn[],
  hubOptions: HubOptions = {},
  options: RouteOptions = {},
) {
  const model = scriptedModel(script);
  const hub = createHub(greet, { model, ...hubOptions });
  const executor = viaRoute(address, { fetch: hub.fetch, retryDelay: () => 0, ...options });
  return { hub, model, executor, run: createRun(greet, { executor }) };
}

export const request = (more: Partial<RunRequest<{ name: string }>> = {}): RunRequest<{ name: string }> => ({
  definition: greet,
  input: { name: 'Ada' },
  ...more,
});
export const never = (): AbortSignal => new AbortController().signal;

/** What an iteration gave, and the error with which it ended. */
export async function read(events: AsyncIterable<RunEvent>) {
  const seen: RunEvent[] = [];
  try {
    for await (const event of events) seen.push(event);
  } catch (error) {
    if (!CuelineError.isInstance(error)) throw error;
    return { seen, error: error.toJSON() };
  }
  return { seen };
}

export const until = (condition: () => boolean) => expect.poll(condition).toBe(true);

/** Waits until the run behind the hub has ended. */
export const ended = (hub: ReturnType<typeof createHub>) => until(() => hub.log().at(-1)?.type === 'run-end');

/** An answer to the start that waits for `answer()`; other requests go to the hub. */
export function heldStart() {
  let answer = (): void => {};
  const held = new Promise<undefined>((resolve) => (answer = () => resolve(undefined)));
  const instead = (asked: Request) => (asked.method === 'POST' ? held : undefined);
  return { instead, answer: () => answer() };
}
