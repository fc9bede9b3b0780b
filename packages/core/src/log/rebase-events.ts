import type { RunEvent } from './events.ts';

/** Where the events of an executor stand in a log that may have begun before it. */
export type RebasedEvents = {
  /** The event as the log has it. */
  rebase(event: RunEvent): RunEvent;
  /** How many events of the log were there before the executor's first. */
  readonly before: number;
};

/**
 * Places the events of an executor after `kept`, what stays of earlier tries: `seq`, times and step numbers go on from
 * there, and the start becomes a `run-resume`.
 */
export function rebaseEvents(kept: readonly RunEvent[], key: string | undefined): RebasedEvents {
  const before = kept.length;
  const time = kept.at(-1)?.t ?? 0;
  const steps = kept.filter(({ type, agent }) => type === 'step-start' && agent === undefined).length;
  const withKey = key === undefined ? {} : { key };

  return {
    before,
    rebase(event) {
      if (before === 0) return event.type === 'run-start' ? { ...event, ...withKey } : event;
      const placed = { ...event, seq: event.seq + before, t: event.t + time };
      if (placed.agent !== undefined) return placed;
      switch (placed.type) {
        case 'run-start': {
          const { seq, t, runId, model, simulated } = placed;
          const isSimulated = simulated === undefined ? {} : { simulated };
          return { seq, t, type: 'run-resume', runId, model, ...isSimulated, ...withKey };
        }
        case 'step-start':
        case 'step-end':
          return { ...placed, step: placed.step + steps };
        default:
          return placed;
      }
    },
  };
}

/** The part of a log that was kept from earlier tries when its last one began. */
export function eventsBeforeResume(log: readonly RunEvent[]): readonly RunEvent[] {
  return log.slice(
    0,
    Math.max(
      0,
      log.findLastIndex(({ type }) => type === 'run-resume'),
    ),
  );
}
