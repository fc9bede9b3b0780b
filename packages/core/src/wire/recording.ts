import { CuelineError } from '../base/errors.ts';
import type { RunEvent } from '../log/events.ts';
import { upgradeLog } from '../log/upgrade-log.ts';

/**
 * Returns a copy, in the current version, of a log that begins with its start and has no gaps.
 * @throws CuelineError `invalid_options` for anything else
 */
export function assertValidLog(log: readonly RunEvent[]): readonly RunEvent[] {
  const whole = Array.isArray(log) && log.every((event: unknown, index) => isEvent(event, index));
  if (whole && log[0]?.type === 'run-start') return [...upgradeLog(log)];
  throw new CuelineError(
    'invalid_options',
    'replay takes the whole log of a run, from its run-start on, as run.log() or decodeLog(text) gives it.',
  );
}

function isEvent(event: unknown, index: number): event is RunEvent {
  const { seq, type } = (event ?? {}) as { seq?: unknown; type?: unknown };
  return seq === index && typeof type === 'string';
}

/** Returns when each event is due, in milliseconds since the start. Pauses are cut to `maxGapMs`. */
export function eventTimes(log: readonly RunEvent[], maxGapMs: number): number[] {
  let time = 0;
  return log.map(({ t }, index) => {
    const gap = t - (log[index - 1]?.t ?? 0);
    // a log from a link may have any times
    if (gap > 0 && gap < Infinity) time += Math.min(gap, maxGapMs);
    return time;
  });
}
