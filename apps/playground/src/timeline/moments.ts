import type { RunEvent } from '@cueline/core';

/** The number of the last event that had happened by a time, in milliseconds since the turn started. */
export function seqAt(log: readonly RunEvent[], time: number): number {
  let low = 0;
  let high = log.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (log[middle]!.t <= time) low = middle + 1;
    else high = middle;
  }
  return Math.max(0, low - 1);
}

/** The time of an event; of the last one if the log is shorter. */
export function timeOf(log: readonly RunEvent[], seq: number): number {
  return (log[seq] ?? log.at(-1))?.t ?? 0;
}

/** The events that a person sees as something new. */
const visible: ReadonlySet<RunEvent['type']> = new Set([
  'step-start',
  'text-start',
  'reasoning-start',
  'tool-input-start',
  'tool-start',
  'tool-end',
  'tool-error',
  'sub-call-start',
  'sub-call-end',
  'agent-start',
  'agent-end',
  'approval-request',
  'approval-response',
  'client-tool-request',
  'client-tool-response',
  'steer',
  'warning',
  'retry',
  'step-end',
  'run-end',
]);

/** The next event after `seq`, or before it, that is visible; undefined if there is none. */
export function visibleEvent(
  log: readonly RunEvent[],
  seq: number,
  direction: 'next' | 'previous',
): number | undefined {
  const by = direction === 'next' ? 1 : -1;
  for (let index = seq + by; index >= 0 && index < log.length; index += by) {
    const { type } = log[index]!;
    // the end of the last step is the end of the run
    if (visible.has(type) && !(type === 'step-end' && log[index + 1]?.type === 'run-end')) return index;
  }
  return undefined;
}
