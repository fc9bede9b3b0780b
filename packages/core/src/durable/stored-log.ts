import { CuelineError } from '../base/errors.ts';
import type { RunEvent } from '../log/events.ts';
import { createReducer } from '../log/reduce.ts';
import type { RunState } from '../log/state.ts';
import { isRunEvent } from '../wire/check-event.ts';

/**
 * The stored events of a run. A worker that keeps this between two steps reads only events that others have
 * stored since.
 */
export type StoredLog = {
  readonly events: readonly RunEvent[];
  /** How long the events are as JSON, in characters. */
  readonly size: number;
  /** The state after the events. */
  getState(): RunState;
  /**
   * Adds events that follow, as texts of JSON or as a store returns them.
   * @throws CuelineError `storage_failed` for events that do not follow, or that no run has written
   */
  add(events: readonly RunEvent[]): void;
};

/**
 * Returns a run's stored events, with their state.
 * @throws CuelineError `storage_failed` for events that are not a log from its beginning
 */
export function createStoredLog(runId: string, stored: readonly RunEvent[] = []): StoredLog {
  const events: RunEvent[] = [];
  const reducer = createReducer();
  let size = 0;
  const log: StoredLog = {
    events,
    get size() {
      return size;
    },
    getState: () => reducer.snapshot(),
    add(more) {
      for (const event of more) {
        // a copy, because the value that a tool returned may change later, and stored events do not
        const text = JSON.stringify(event) as string | undefined;
        const copy: unknown = text === undefined ? undefined : JSON.parse(text);
        if (text === undefined || !isRunEvent(copy) || copy.seq !== events.length) {
          throw missingEventError(runId, events.length);
        }
        events.push(copy);
        reducer.apply(copy);
        size += text.length;
      }
    },
  };
  log.add(stored);
  return log;
}

/** True for an event that can be read again once it is stored as JSON. */
export function isStorable(event: RunEvent): boolean {
  // JSON leaves out or replaces some values that the check refuses
  return isRunEvent(event) || isRunEvent(JSON.parse(JSON.stringify(event)));
}

function missingEventError(runId: string, at: number): CuelineError {
  return new CuelineError(
    'storage_failed',
    `Event ${at} of run ${runId} is missing or cannot be read, so the run was not continued. Restore the run's events in the store, from ${at} on.`,
  );
}
