import type { CuelineError } from '../errors.ts';
import type { RequestState, RunState } from '../log/state.ts';

/** What only the run knows, and not its log. */
export type RunOverlay = {
  queued: number;
  replaying: boolean;
  storageError: CuelineError | undefined;
  /** What starts ask that go on out of sight. */
  asked: readonly RequestState[];
};

/** Lays what only the run knows over a log's state. Gives the same object while neither has changed. */
export function createStateOverlay(): (base: RunState, overlay: RunOverlay) => RunState {
  let last: { facts: readonly unknown[]; state: RunState } | undefined;

  return (base, { queued, replaying, storageError, asked }) => {
    const facts = [base, queued, replaying, storageError, ...asked];
    if (last?.facts.length === facts.length && facts.every((fact, at) => fact === last?.facts[at])) {
      return last.state;
    }
    const asItIs = queued === 0 && !replaying && asked.length === 0 && storageError === undefined;
    const error = storageError === undefined ? {} : { storageError: storageError.toJSON() };
    const requests = [...base.requests, ...asked];
    const state = asItIs ? base : { ...base, queued, replaying, requests, ...error };
    last = { facts, state };
    return state;
  };
}
