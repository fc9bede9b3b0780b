import {
  reduceAll,
  runPrompt,
  type Prompt,
  type PromptConfig,
  type PromptSource,
  type RunEvent,
  type RunPromptResult,
  type RunState,
} from '@cueline/core';
import { scriptedModel, type ScriptedPart, type ScriptedTurn } from '@cueline/core/testing';

/** A scripted model and a run of `source` on it, with the run's state and log after its end. */
export async function play(
  source: PromptSource,
  turns: readonly ScriptedTurn[],
  config: Omit<PromptConfig, 'model'> = {},
): Promise<
  RunPromptResult & {
    model: ReturnType<typeof scriptedModel>;
    state: RunState;
    events: readonly RunEvent[];
  }
> {
  const model = scriptedModel(turns);
  const played = await runPrompt(source, { ...config, model });
  const state = await played.run.finished;
  return { ...played, model, state, events: played.run.log() };
}

/** A prompt that defines something and then says “Go.”. */
export function go(define: (prompt: Prompt) => unknown): (prompt: Prompt) => void {
  return (prompt) => {
    define(prompt);
    prompt.$`Go.`;
  };
}

/** A tool call, as a script writes it. Without an id, the scripted model gives it one. */
export function call(name: string, input: unknown = {}, id?: string): ScriptedPart {
  return { toolCall: { name, input, ...(id === undefined ? {} : { id }) } };
}

/** A function that throws `error`. */
export function throwing(error: unknown): () => never {
  return () => {
    throw error;
  };
}

/** A turn that calls tools: `calls(['search', { query: 'a' }], ['search', { query: 'b' }])`. */
export function calls(...made: Parameters<typeof call>[]): ScriptedTurn {
  return made.map((one) => call(...one));
}

/** A log without what differs from run to run: times, and ids that are made up. */
export function timeless(events: readonly RunEvent[]): unknown[] {
  const known = new Map<string, number>();
  const text = JSON.stringify(events, (key, value: unknown) =>
    key === 't' || key === 'ms' ? undefined : value,
  );
  const named = text.replaceAll(/\b(run|msg|aitxt)-[A-Za-z0-9]{16,}/g, (id, kind: string) => {
    if (!known.has(id)) known.set(id, known.size);
    return `${kind}-${known.get(id)}`;
  });
  return JSON.parse(named) as unknown[];
}

/** The state after each event. */
export function states(events: readonly RunEvent[]): RunState[] {
  return events.map((_event, index) => reduceAll(events.slice(0, index + 1)));
}

/** `seq type` of each event, for sequences that are read at a glance. */
export function types(events: readonly RunEvent[]): string[] {
  return events.map((event) => event.type);
}

/** JSON and back: drops what is undefined, as storage and the wire do. */
export function json<Value>(value: Value): Value {
  return JSON.parse(JSON.stringify(value)) as Value;
}
