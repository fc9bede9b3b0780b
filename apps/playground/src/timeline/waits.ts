import type { RunEvent } from '@cueline/core';

/** The longest that playing shows a wait for an answer, in milliseconds at the original speed. */
export const LONGEST_WAIT = 2_000;

/** A time in which the run only waited for an answer, longer than {@link LONGEST_WAIT}. */
export type LongWait = { readonly start: number; readonly end: number };

/** The long waits of a log, in order. */
export function longWaits(log: readonly RunEvent[]): readonly LongWait[] {
  const waits: LongWait[] = [];
  const pending = new Set<string>();
  for (const [index, event] of log.entries()) {
    switch (event.type) {
      case 'approval-request':
        pending.add(`approval ${event.approvalId}`);
        break;
      case 'approval-response':
      case 'approval-withdraw':
        pending.delete(`approval ${event.approvalId}`);
        break;
      case 'client-tool-request':
        pending.add(`call ${event.clientCallId}`);
        break;
      case 'client-tool-response':
      case 'client-tool-withdraw':
        pending.delete(`call ${event.clientCallId}`);
        break;
      default:
    }
    const end = log[index + 1]?.t;
    if (pending.size > 0 && end !== undefined && end - event.t > LONGEST_WAIT) {
      waits.push({ start: event.t, end });
    }
  }
  return waits;
}

/** The long wait at a time. */
export function waitAt(waits: readonly LongWait[], time: number): LongWait | undefined {
  return waits.find(({ start, end }) => start <= time && time < end);
}

/** The time after `ms` of playing from `time`; a long wait passes in {@link LONGEST_WAIT}. */
export function advance(time: number, ms: number, waits: readonly LongWait[]): number {
  let now = time;
  let left = ms;
  for (const { start, end } of waits) {
    if (end <= now) continue;
    if (now + left <= start) break;
    if (now < start) {
      left -= start - now;
      now = start;
    }
    const rate = (end - start) / LONGEST_WAIT;
    if (now + left * rate < end) return now + left * rate;
    left -= (end - now) / rate;
    now = end;
  }
  return now + left;
}
