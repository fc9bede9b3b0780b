import { CuelineError } from '../errors.ts';
import type { RunEvent } from '../log/events.ts';

/**
 * A copy of a log that begins with its start and has no gaps.
 * @throws CuelineError `invalid_options` for anything else
 */
export function checkTape(log: readonly RunEvent[]): readonly RunEvent[] {
  const wrong = (what: string): CuelineError =>
    new CuelineError(
      'invalid_options',
      `replay takes the log of a run from its start, as run.log() and decodeLog(text) give it; ${what}.`,
    );
  if (!Array.isArray(log)) throw wrong('this is no list');
  if (log.length === 0) throw wrong('this one is empty');
  for (const [index, event] of log.entries()) {
    if (event?.seq !== index || typeof event.type !== 'string')
      throw wrong(`number ${index} is not its event ${index}`);
  }
  if (log[0]?.type !== 'run-start') throw wrong('this one has no run-start');
  return [...log];
}

/** When each event is due, in ms since the start, where no silence is longer than `maxGapMs`. */
export function timesOf(tape: readonly RunEvent[], maxGapMs: number): number[] {
  let time = 0;
  return tape.map(({ t }, index) => {
    const gap = t - (tape[index - 1]?.t ?? 0);
    // a log out of somebody's link may say anything
    if (gap > 0 && gap < Infinity) time += Math.min(gap, maxGapMs);
    return time;
  });
}
