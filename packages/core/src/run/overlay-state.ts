import type { CuelineError } from '../base/errors.ts';
import type { RequestState, RunState } from '../log/state.ts';

/** The part of the state that is not in the log. */
export type RunOverlay = {
  queued: number;
  replaying: boolean;
  storageError: CuelineError | undefined;
  /** Open requests of the starts in the background. */
  requests: readonly RequestState[];
};

/** Adds the overlay to a log's state. Returns the same object while neither has changed. */
export function createStateOverlay(): (base: RunState, overlay: RunOverlay) => RunState {
  let last: { facts: readonly unknown[]; state: RunState } | undefined;

  return (base, { queued, replaying, storageError, requests }) => {
    const facts = [base, queued, replaying, storageError, ...requests];
    if (last?.facts.length === facts.length && facts.every((fact, at) => fact === last?.facts[at])) {
      return last.state;
    }
    let state = base;
    if (queued > 0 || replaying) state = { ...state, queued, replaying };
    if (storageError !== undefined) state = { ...state, storageError: storageError.toJSON() };
    if (requests.length > 0) state = { ...state, requests: [...base.requests, ...requests] };
    last = { facts, state };
    return state;
  };
}
