import type { RunEvent } from './events.ts';
import { createReducer, initialState } from './reduce.ts';
import type { RunState } from './state.ts';

/** The number of events between two stored states. */
const CHECKPOINT_INTERVAL = 512;

/**
 * Returns a function that returns the state after the event `seq` of a log; -1 is before the first. Some states
 * are stored, so that any moment costs a bounded number of events, however long the log is.
 */
export function createTimeline(events: readonly RunEvent[]): (seq: number) => RunState {
  /** The states after every {@link CHECKPOINT_INTERVAL} events, the first one before any. */
  const kept: RunState[] = [initialState];
  let lastCount = 0;
  let lastState = initialState;

  return (seq) => {
    const count = Math.max(0, Math.min(Math.floor(seq) + 1, events.length));
    if (count === lastCount) return lastState;
    const nearest = Math.min(Math.floor(count / CHECKPOINT_INTERVAL), kept.length - 1);
    const reducer = createReducer(kept[nearest]);
    let applied = nearest * CHECKPOINT_INTERVAL;
    while (applied < count) {
      reducer.apply(events[applied++]!);
      if (applied % CHECKPOINT_INTERVAL === 0) kept[applied / CHECKPOINT_INTERVAL] ??= reducer.snapshot();
    }
    lastCount = count;
    return (lastState = reducer.snapshot());
  };
}
