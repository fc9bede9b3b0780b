import { withoutUndefined } from '../base/without-undefined.ts';
import type { RunEvent } from './events.ts';

/**
 * Returns a function that moves the events of an executor to their place in a log that begins with `kept`, the events
 * of earlier attempts: `seq`, times and step numbers continue from there, and the start becomes a `run-resume`.
 */
export function rebaseEvents(
  kept: readonly RunEvent[],
  key: string | undefined,
): (event: RunEvent) => RunEvent {
  const before = kept.length;
  const time = kept.at(-1)?.t ?? 0;
  // a step whose process has died is in the log twice
  const steps = (kept.findLast(isOwnStep)?.step ?? -1) + 1;
  const withKey = withoutUndefined({ key });

  return (event) => {
    if (before === 0) return event.type === 'run-start' ? { ...event, ...withKey } : event;
    const rebased = { ...event, seq: event.seq + before, t: event.t + time };
    if (rebased.agent !== undefined) return rebased;
    if (rebased.type === 'run-start') {
      const { seq, t, runId, model, simulated } = rebased;
      return withoutUndefined({ seq, t, type: 'run-resume', runId, model, simulated, key });
    }
    return 'step' in rebased ? { ...rebased, step: rebased.step + steps } : rebased;
  };
}

/** True for the start of a step of the run itself. */
export function isOwnStep(event: RunEvent): event is Extract<RunEvent, { type: 'step-start' }> {
  return event.type === 'step-start' && event.agent === undefined;
}

/** Returns the events of earlier attempts that were kept when the last attempt started. */
export function eventsBeforeResume(log: readonly RunEvent[]): readonly RunEvent[] {
  return log.slice(
    0,
    Math.max(
      0,
      log.findLastIndex(({ type }) => type === 'run-resume'),
    ),
  );
}
