import { CuelineError } from '../base/errors.ts';
import { LOG_VERSION, type RunEvent } from './events.ts';

/**
 * Returns the log, which may be of an earlier version. `whose` names what takes it.
 * @throws CuelineError `invalid_options` for anything but a list of events that begins with a start and has no gaps
 */
export function wholeLog(whose: string, log: readonly RunEvent[]): readonly RunEvent[] {
  const isWhole = Array.isArray(log) && log.every((event: RunEvent | null, index) => event?.seq === index);
  const first = isWhole ? log[0] : undefined;
  if (first?.type === 'run-start' && first.v <= LOG_VERSION) return log;
  throw new CuelineError(
    'invalid_options',
    `${whose} takes the whole log of a run, from run-start on: run.log() or decodeLog(text).`,
  );
}

/** Returns how many messages of a log's start are the prompt's own. */
export function countPromptMessages([first]: readonly RunEvent[]): number {
  return first?.type === 'run-start' ? Math.max(0, first.messages.length - (first.turns ?? 0)) : 0;
}

/** Returns a log's events up to `seq`, with an end if they have none. */
export function logUpTo(log: readonly RunEvent[], seq: number): RunEvent[] {
  const events = log.slice(0, Math.max(0, seq + 1));
  const last = events.at(-1);
  if (last !== undefined && last.type !== 'run-end') {
    events.push({ seq: last.seq + 1, t: last.t, type: 'run-end', outcome: 'stopped' });
  }
  return events;
}

/** Returns the last run id that an executor has set in this log. */
export function lastRunId(events: readonly RunEvent[]): string | undefined {
  return events.findLast(
    (event): event is Extract<RunEvent, { runId: string }> =>
      (event.type === 'run-start' || event.type === 'run-resume') && event.runId !== '',
  )?.runId;
}
