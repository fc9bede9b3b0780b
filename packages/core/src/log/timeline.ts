import type { RunEvent } from './events.ts';
import { createReducer, initialState } from './reduce.ts';
import type { RunState } from './state.ts';

/** How many events lie between two states that are kept. */
const EVERY = 512;

/**
 * The states that a log has gone through. States are kept here and there, so that any moment costs a bounded number of
 * events, however long the log is. Gives the state after the event `seq`; -1 is before the first.
 */
export function createTimeline(events: readonly RunEvent[]): (seq: number) => RunState {
  /** The state after so many times `EVERY` events. */
  const kept: RunState[] = [initialState];
  let last = { count: 0, state: initialState };

  return (seq) => {
    const count = Math.max(0, Math.min(Math.floor(seq) + 1, events.length));
    if (count === last.count) return last.state;
    const nearest = Math.min(Math.floor(count / EVERY), kept.length - 1);
    const reducer = createReducer(kept[nearest]);
    for (let index = nearest * EVERY; index < count; index++) {
      reducer.apply(events[index]!);
      if ((index + 1) % EVERY === 0) kept[(index + 1) / EVERY] ??= reducer.snapshot();
    }
    last = { count, state: reducer.snapshot() };
    return last.state;
  };
}
