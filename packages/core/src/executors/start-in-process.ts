import { anySignal } from '../base/any-signal.ts';
import type { RunEvent } from '../log/events.ts';
import type { ModelSettings } from '../models/settings.ts';
import type { RunRequest } from './executor.ts';
import { failedStart } from './failed-start.ts';
import type { RunHandle } from '../log/run-handle.ts';
import { describeFailure } from './describe-failure.ts';
import { startRun } from '../engine/start-run.ts';
import type { WorkListener } from '../base/track-work.ts';

/** Runs in progress, and ended runs whose end no caller has read, by id. */
export type KnownRuns = Map<string, RunHandle>;

/** How many ended runs are kept whose end no caller has read. */
const MAX_UNREAD_ENDS = 32;

/**
 * Starts a run and returns its events. A mistake that keeps it from starting becomes a log that ends with that error.
 */
export async function startInProcess<Input>(
  request: RunRequest<Input>,
  signal: AbortSignal,
  models: ModelSettings,
  runs: KnownRuns,
  onWork?: WorkListener,
): Promise<AsyncIterator<RunEvent> | Iterator<RunEvent>> {
  const { definition, input, model, options, messages, tasks, unfinishedCalls, whenStored } = request;
  const signals = options?.abortSignal === undefined ? [signal] : [signal, options.abortSignal];
  let run;
  try {
    const abortSignal = anySignal(signal, options?.abortSignal);
    const config = {
      ...models,
      input,
      model,
      messages,
      tasks,
      unfinishedCalls,
      options: { ...options, abortSignal },
    };
    ({ run } = await startRun(definition, config, { onWork, whenStored }));
  } catch (error) {
    if (signals.some(({ aborted }) => aborted)) return failedStart(definition.name, undefined, messages);
    const failure = describeFailure(error, input, models);
    return failedStart(definition.name, failure.error, messages, failure.input);
  }
  runs.set(run.id, run);
  forgetOldest(runs);
  return toEnd(run, runs);
}

/**
 * Returns the events of a run. The run stays known until a caller has read its end, because a caller who stopped
 * reading may come back.
 */
export function toEnd(run: RunHandle, runs: KnownRuns, afterSeq?: number): AsyncIterator<RunEvent> {
  const events = run.events(afterSeq)[Symbol.asyncIterator]();
  return {
    async next() {
      const next = await events.next();
      // a moment later, for a caller who stops reading and comes back at once
      if (next.done !== true && next.value.type === 'run-end') setTimeout(() => runs.delete(run.id));
      return next;
    },
    return: () => events.return?.() ?? Promise.resolve({ done: true, value: undefined }),
  };
}

function forgetOldest(runs: KnownRuns): void {
  const ended = [...runs.values()].filter((run) => run.log().at(-1)?.type === 'run-end');
  for (const { id } of ended.slice(0, Math.max(0, ended.length - MAX_UNREAD_ENDS))) runs.delete(id);
}
