import type { RunEvent } from './events.ts';
import { createOpenCalls } from './open-calls.ts';

/**
 * Returns how long a run has worked so far, in milliseconds, without the time in which it only waited for responses.
 * `elapsed` is the time since its start. Without it, the time between the end of one process and the start of the
 * next one does not count either.
 */
export function activeTime(events: readonly RunEvent[], elapsed?: number): number {
  const calls = createOpenCalls();
  const started = new Set<string>();
  let active = 0;
  let last = 0;
  let isWaiting = false;
  let hasEndedStep = false;
  for (const event of events) {
    const isFirst = isSettlement(event, started) || hasEndedStep;
    if (!isWaiting && !(isFirst && elapsed === undefined)) active += Math.max(0, event.t - last);
    last = Math.max(last, event.t);
    hasEndedStep = event.type === 'step-end' && event.agent === undefined;
    calls.apply(event);
    // a call that repeats another one does not start, and waits with it
    isWaiting = calls.idleState(new Set()) !== 'busy';
  }
  return isWaiting ? active : active + Math.max(0, (elapsed ?? 0) - last);
}

/**
 * True for an event that only the next process writes: it voids an answer that was cut off, or settles a call that
 * had started. `started` has the open calls, and gets the event.
 */
function isSettlement(event: RunEvent, started: Set<string>): boolean {
  if (event.type === 'retry') return event.attempt === undefined && event.error.code === 'interrupted';
  if (!('toolCallId' in event)) return false;
  const id = JSON.stringify([event.agent, event.toolCallId]);
  switch (event.type) {
    case 'tool-start': {
      const isAgain = started.has(id);
      started.add(id);
      return isAgain;
    }
    case 'tool-end':
      started.delete(id);
      return false;
    case 'tool-error':
      // only the process that has called the function knows how long it took
      return started.delete(id) && event.ms === undefined;
    default:
      return false;
  }
}
