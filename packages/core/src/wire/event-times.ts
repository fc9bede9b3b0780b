import type { RunEvent } from '../log/events.ts';

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
