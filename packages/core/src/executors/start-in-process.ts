import { anySignal } from '../base/any-signal.ts';
import type { WorkListener } from '../base/track-work.ts';
import { sendCommand } from '../engine/create-run-handle.ts';
import { startRun } from '../engine/start-run.ts';
import { refusePromises } from '../json/refuse-promises.ts';
import type { RunEvent } from '../log/events.ts';
import type { RunCommand, RunHandle } from '../log/run-handle.ts';
import { checkModelSettings } from '../models/create-models.ts';
import type { ModelSettings } from '../models/settings.ts';
import { checkAbortSignal } from '../prompt/option-names.ts';
import type { EditReply } from '../tasks/task-item.ts';
import { describeFailure } from './describe-failure.ts';
import type { RunRequest } from './executor.ts';
import { failedStart } from './failed-start.ts';

/** A run in this process, as its executor uses it. */
type KnownRun = Pick<RunHandle, 'log'> & {
  /**
   * Returns the events after `afterSeq`. Aborting `signal` ends the run. The run stays known until a caller has read
   * its end, because a caller who stopped reading may come back.
   */
  attach(afterSeq: number, signal: AbortSignal): AsyncIterable<RunEvent>;
  send(command: RunCommand): Promise<EditReply>;
};

/** Runs in progress, and ended runs whose end no caller has read, by id. */
export type KnownRuns = Map<string, KnownRun>;

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
  let run;
  try {
    // before the options are copied
    refusePromises('The settings of the run', request);
    checkAbortSignal(options);
    checkModelSettings('models', models);
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
    const isAborted = [signal, options?.abortSignal].some((each) => each?.aborted === true);
    if (isAborted) return failedStart(definition.name, undefined, messages);
    const failure = describeFailure(error, input, models);
    return failedStart(definition.name, failure.error, messages, failure.input);
  }
  const events = (afterSeq?: number): AsyncIterator<RunEvent> =>
    untilRead(run.events(afterSeq), () => runs.delete(run.id));
  runs.set(run.id, {
    log: run.log,
    attach(afterSeq, signal) {
      if (signal.aborted) run.stop();
      else signal.addEventListener('abort', () => run.stop(), { once: true });
      return { [Symbol.asyncIterator]: () => events(afterSeq) };
    },
    send: (command) => sendCommand(run, command),
  });
  forgetOldest(runs);
  return events();
}

/** Returns events, and calls `forget` after the end of their run has been read. */
function untilRead(given: AsyncIterable<RunEvent>, forget: () => void): AsyncIterator<RunEvent> {
  const events = given[Symbol.asyncIterator]();
  return {
    async next() {
      const next = await events.next();
      // a moment later, for a caller who stops reading and comes back at once
      if (next.done !== true && next.value.type === 'run-end') setTimeout(forget);
      return next;
    },
    return: () => events.return?.() ?? Promise.resolve({ done: true, value: undefined }),
  };
}

function forgetOldest(runs: KnownRuns): void {
  const ended = [...runs].filter(([, run]) => run.log().at(-1)?.type === 'run-end');
  for (const [id] of ended.slice(0, Math.max(0, ended.length - MAX_UNREAD_ENDS))) runs.delete(id);
}
