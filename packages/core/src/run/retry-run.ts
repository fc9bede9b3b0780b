import { checkNames } from '../base/check-names.ts';
import { CuelineError } from '../base/errors.ts';
import { isRecord } from '../base/is-record.ts';
import type { AttemptInput } from './attempt-input.ts';
import type { Attempt } from './attempt.ts';
import { keepFinishedSteps, type KeptSteps } from './keep-steps.ts';
import { isGone, type LostConnection } from './lost-connection.ts';
import { ignorable, refused } from './refused.ts';
import type { RunInternals } from './run-internals.ts';
import type { RetryOptions } from './run.ts';

export type { RetryOptions } from './run.ts';

/** How the work of a run is continued. */
export type RetryStarts = {
  /** Continues work whose connection was lost. */
  reconnect(run: RunInternals, lost: LostConnection): Attempt;
  /** Starts the shown conversation again, with the kept steps. */
  continueConversation(run: RunInternals, kept: AttemptInput): Promise<unknown>;
};

/**
 * Tries the last turn of a run again. Without `from`, lost work is followed again if it still exists; otherwise
 * it is tried again from the log. Rejects with `invalid_options`.
 */
export function retryRun(
  run: RunInternals,
  starts: RetryStarts,
  options: RetryOptions | undefined,
): Promise<unknown> {
  try {
    // onClick={run.retry} passes an event
    if (!isInstance(options)) checkNames('retry', options, ['from'], 'invalid_options');
  } catch (error) {
    return refused(error);
  }
  const from = options?.from;
  const { shown } = run.attempts;
  if (from === undefined && shown?.lost !== undefined) return followAgain(run, starts, shown.lost);
  return retryFromLog(run, starts, from);
}

/** Retries the last turn from the log. */
function retryFromLog(run: RunInternals, starts: RetryStarts, from: number | undefined): Promise<unknown> {
  const log = run.log.events;
  const [first] = log;
  if (first?.type !== 'run-start') {
    const { shown } = run.attempts;
    // a start or a retry of this moment, such as that of a double click, has no events yet
    if (shown?.log.ended === false) return shown.result;
    return refused(new CuelineError('invalid_options', 'There is no run to retry. Call start(input).'));
  }
  let kept: KeptSteps;
  try {
    const { executor } = run.settings;
    const continuesAgents = executor === undefined || executor.continuesAgents === true;
    // a replay can only start at its beginning
    kept = keepFinishedSteps(log, executor?.replays === true ? 0 : from, continuesAgents);
  } catch (error) {
    return refused(error);
  }
  run.attempts.replace();
  return starts.continueConversation(run, { ...kept, shows: first.messages });
}

/** True for an object of a class, such as an event. */
function isInstance(value: unknown): boolean {
  return isRecord(value) && ![Object.prototype, null].includes(Object.getPrototypeOf(value) as object | null);
}

/** Follows lost work again, or retries it from the log if it no longer exists or has ended. */
function followAgain(run: RunInternals, starts: RetryStarts, lost: LostConnection): Promise<unknown> {
  const { definition, model, options } = run.settings;
  // a route that has a start has a run with its settings, which is followed; one that refused it gets the current
  // settings
  const request = isRefused(run, lost) ? { ...lost.request!, definition, model, options } : lost.request;
  const found = starts.reconnect(run, { ...lost, request });
  return ignorable(
    found.result.catch((error: unknown) => {
      if (run.attempts.shown !== found || !(isGone(error) || isOver(error, lost, found))) throw error;
      return retryFromLog(run, starts, undefined);
    }),
  );
}

/** Follows lost work again: a run, or a start without an answer. A start that was refused made no run. */
export function attachLost(run: RunInternals, { reconnect }: RetryStarts): Promise<unknown> {
  const { lost } = run.attempts.shown ?? {};
  return lost === undefined || isRefused(run, lost) ? Promise.resolve() : reconnect(run, lost).result;
}

/** The errors of a start without an answer, which may have arrived. */
const unanswered: ReadonlySet<unknown> = new Set(['network', 'timeout', 'overloaded']);

/**
 * True for a start that was refused, or was not sent because of a mistake. Only a route may have one without
 * answering.
 */
function isRefused({ log, settings }: RunInternals, { request }: LostConnection): boolean {
  const last = log.events.at(-1);
  if (request === undefined || last?.type !== 'run-end') return false;
  const isRemote = settings.executor !== undefined && 'remote' in settings.executor;
  return !isRemote || !unanswered.has(last.error?.code);
}

/**
 * True for a run of which nothing more is known where it happened, although the log has no end. The log of a page
 * that was closed right after a retry ends with what that retry keeps, and the run before it has no such events.
 */
function isOver(error: unknown, lost: LostConnection, found: Attempt): boolean {
  const isCut = CuelineError.isInstance(error) && error.code === 'stream_truncated';
  return isCut && lost.request === undefined && found.lost?.events.length === lost.events.length;
}
