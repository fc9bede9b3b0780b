import { callAll } from '../base/call-all.ts';
import { CuelineError } from '../base/errors.ts';
import type { Executor } from '../executors/executor.ts';
import { inProcess } from '../executors/in-process.ts';
import type { StoredCalls } from '../executors/stored-calls.ts';
import type { RunEvent } from '../log/events.ts';
import { createAttempt, type Attempt } from './attempt.ts';
import { loadRetries, withRetryCode } from './load-retries.ts';
import type { LostConnection } from './lost-connection.ts';
import type { RetryStarts } from './retry-run.ts';
import type { RunInternals } from './run-internals.ts';
import { notify, watchLog } from './run-state.ts';

type NewAttempt = LostConnection & {
  executor?: Executor | undefined;
  /** The calls that wait until what precedes them is stored. */
  calls?: StoredCalls | undefined;
};

/** Creates an attempt whose events the run stores and reports, and shows it. */
export function openAttempt(
  run: RunInternals,
  { executor = run.settings.executor ?? inProcess(), calls, ...work }: NewAttempt,
): Attempt {
  const { attempts } = run;
  // what a start keeps begins the stored log anew
  if (work.request) for (const event of work.events) run.writer?.add(event);
  let made: Attempt | undefined;
  const attempt = (made = createAttempt({
    ...work,
    executor: run.writer?.executor(executor, work.request !== undefined) ?? executor,
    schedule: run.schedule,
    onEvent(event) {
      // before the attempt exists, it is the one that will be shown
      const isShown = made === undefined || made === attempts.shown;
      // a reader of the log sees that it has no end, and another page may still be writing it
      if (isShown && !isInterruption(event, made?.lost)) run.writer?.add(event);
      calls?.see(event);
      if (isShown) callAll(run.listeners, event);
      // only what an attempt in the background waits for is reported
      else if (/^(approval|client-tool|run-end)/.test(event.type)) notify(run);
    },
  }));
  run.log = attempt.log;
  attempts.show(attempt);
  watchLog(run);
  run.clientTools.follow(attempt);
  // a retry reports it if this fails
  loadRetries().catch(() => {});
  return attempt;
}

/** Continues an earlier log, and its run if that is still in progress. */
export function continueLog(run: RunInternals, events: readonly RunEvent[], isStored: boolean): void {
  const [first] = events;
  if (first?.type !== 'run-start') return;
  run.lastInput ??= first.input;
  const start = events.findLast((event) => event.type === 'run-start' || event.type === 'run-resume');
  const attempt = openAttempt(run, { events, key: start?.key });
  if (run.log.ended) return;
  if (attachOrFail(attempt) && !isStored) for (const event of events) run.writer?.add(event);
}

/** Continues lost work: the run if it still exists, or the start, which its executor makes only once. */
export function reconnect(run: RunInternals, lost: LostConnection): Attempt {
  const attempt = openAttempt(run, lost);
  if (lost.request === undefined) attachOrFail(attempt);
  notify(run);
  return attempt;
}

/**
 * Follows the work of the shown attempt again, if it was detached or its connection was lost; `starts` as for a
 * retry.
 */
export function attachShown(run: RunInternals, starts: RetryStarts): void {
  const { shown } = run.attempts;
  if (run.log.ended) void withRetryCode(run, (retries) => retries.attachLost(run, starts));
  else if (shown) attachOrFail(shown);
}

/** Follows an attempt's work. If that is no longer known, ends the attempt and returns false. */
export function attachOrFail(attempt: Attempt): boolean {
  if (attempt.attach()) return true;
  attempt.fail(new CuelineError('interrupted', 'The page of this run was closed. retry() continues it.'));
  return false;
}

/** True for an end of this page's view only: the run may continue where it happens. */
function isInterruption(event: RunEvent, lost: LostConnection | undefined): boolean {
  return event.type === 'run-end' && (event.error?.code === 'interrupted' || (!!lost && !lost.request));
}
