import {
  runPrompt,
  type PromptConfig,
  type PromptSource,
  type RunEvent,
  type RunPromptResult,
} from '@cueline/core';
import { scriptedModel, type ScriptedTurn } from '@cueline/core/testing';

/** A scripted model and a run of `source` on it, with the run's log after its end. */
export async function play(
  source: PromptSource,
  turns: readonly ScriptedTurn[],
  config: Omit<PromptConfig, 'model'> = {},
): Promise<RunPromptResult & { model: ReturnType<typeof scriptedModel>; events: readonly RunEvent[] }> {
  const model = scriptedModel(turns);
  const played = await runPrompt(source, { ...config, model });
  await played.run.finished;
  return { ...played, model, events: played.run.log() };
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

/** `seq type` of each event, for sequences that are read at a glance. */
export function types(events: readonly RunEvent[]): string[] {
  return events.map((event) => event.type);
}

/** JSON and back: drops what is undefined, as storage and the wire do. */
export function json<Value>(value: Value): Value {
  return JSON.parse(JSON.stringify(value)) as Value;
}
