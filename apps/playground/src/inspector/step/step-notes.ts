import type { RunEvent, StepState } from '@cueline/core';
import { steerLabel } from '../../transcript/steer-labels.ts';
import type { SteerFields } from '../../transcript/transcript-item.ts';
import { formatDuration } from '../../ui/format.ts';

/** An event of a step besides its request and its response: a retry, a warning, a message to the model. */
export type StepNote = {
  key: string;
  kind: 'retry' | 'warning' | 'steer';
  /** When, since the run's start; undefined if the log does not have the event. */
  t: number | undefined;
  label: string;
  /** The reason, or what the model was sent. */
  text: string;
};

/**
 * The notes of a step, in order. `earlier` are the events since the start of the step before: a message between two
 * steps stands there. `after` is what that step was.
 */
export function notesOfStep(
  step: Pick<StepState, 'steered'>,
  events: readonly RunEvent[],
  earlier: readonly RunEvent[],
  after: SteerFields['after'],
): StepNote[] {
  const times = new Map<string, number>();
  for (const list of [earlier, events]) {
    for (const event of list) if (event.type === 'steer') times.set(event.id, event.t);
  }
  const notes: StepNote[] = (step.steered ?? []).map(({ id, cause, text }) => ({
    key: id,
    kind: 'steer',
    t: times.get(id),
    label: steerLabel({ cause, after }),
    text,
  }));
  for (const event of events) {
    const facts = { key: String(event.seq), t: event.t };
    if (event.type === 'warning') {
      notes.push({ ...facts, kind: 'warning', label: 'Warning', text: event.message });
    }
    if (event.type === 'retry') {
      notes.push({ ...facts, kind: 'retry', label: retryLabel(event), text: event.error.message });
    }
  }
  return notes;
}

function retryLabel({
  attempt,
  maxAttempts,
  delayMs,
  offline,
}: Extract<RunEvent, { type: 'retry' }>): string {
  if (attempt === undefined) return 'The answer was cut off; the call was repeated';
  if (offline === true) return 'Offline; repeated once online';
  const wait = delayMs === undefined ? '' : `, after ${formatDuration(delayMs)}`;
  return `Attempt ${attempt}${maxAttempts === undefined ? '' : ` of ${maxAttempts}`}${wait}`;
}
