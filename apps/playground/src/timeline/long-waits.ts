import type { RunEvent } from '@cueline/core';
import { answerWaits, type Span } from '../transcript/run-times.ts';

/** The longest that playing shows a wait for an answer, in milliseconds at the original speed. */
export const MAX_WAIT_MS = 2_000;

/** The times in which a run only waited for an answer, longer than {@link MAX_WAIT_MS}; in order. */
export function longWaits(log: readonly RunEvent[]): readonly Span[] {
  return answerWaits(log).filter(({ start, end }) => end - start > MAX_WAIT_MS);
}

export function waitAt(waits: readonly Span[], time: number): Span | undefined {
  return waits.find(({ start, end }) => start <= time && time < end);
}

/** The time after `ms` of playing from `time`; a long wait passes in {@link MAX_WAIT_MS}. */
export function advance(time: number, ms: number, waits: readonly Span[]): number {
  let now = time;
  let left = ms;
  for (const { start, end } of waits) {
    if (end <= now) continue;
    if (now + left <= start) break;
    if (now < start) {
      left -= start - now;
      now = start;
    }
    const rate = (end - start) / MAX_WAIT_MS;
    if (now + left * rate < end) return now + left * rate;
    left -= (end - now) / rate;
    now = end;
  }
  return now + left;
}
