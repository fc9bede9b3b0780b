import type { RunEvent } from './events.ts';
import { createOpenCalls } from './open-calls.ts';

/**
 * Returns how long a run has taken so far, in milliseconds, without the time in which it only waited for responses.
 * `elapsed` is the time since its start; by default the time of the last event.
 */
export function activeTime(events: readonly RunEvent[], elapsed = 0): number {
  const calls = createOpenCalls();
  let active = 0;
  let last = 0;
  let isWaiting = false;
  for (const event of events) {
    if (!isWaiting) active += Math.max(0, event.t - last);
    last = Math.max(last, event.t);
    calls.apply(event);
    // a call that repeats another one does not start, and waits with it
    isWaiting = calls.idleState(new Set()) !== 'busy';
  }
  return isWaiting ? active : active + Math.max(0, elapsed - last);
}
