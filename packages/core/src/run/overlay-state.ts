import type { CuelineError } from '../base/errors.ts';
import type { RunState } from '../log/state.ts';
import type { Pending } from './attempts.ts';

/** The part of the state that is not in the log. */
export type RunOverlay = {
  queued: number;
  replaying: boolean;
  storageError: CuelineError | undefined;
  /** What the starts in the background wait for. */
  pending: Pending;
};

/** Adds the overlay to a log's state. Returns the same object while neither has changed. */
export function createStateOverlay(): (base: RunState, overlay: RunOverlay) => RunState {
  let last: { facts: readonly unknown[]; state: RunState } | undefined;

  return (base, { queued, replaying, storageError, pending: { approvals, clientToolCalls } }) => {
    const facts = [base, queued, replaying, storageError, ...approvals, ...clientToolCalls];
    if (last?.facts.length === facts.length && facts.every((fact, at) => fact === last?.facts[at])) {
      return last.state;
    }
    let state = base;
    if (queued > 0 || replaying) state = { ...state, queued, replaying };
    if (storageError !== undefined) state = { ...state, storageError: storageError.toJSON() };
    if (approvals.length > 0) state = { ...state, approvals: [...base.approvals, ...approvals] };
    if (clientToolCalls.length > 0) {
      state = { ...state, clientToolCalls: [...base.clientToolCalls, ...clientToolCalls] };
    }
    last = { facts, state };
    return state;
  };
}
