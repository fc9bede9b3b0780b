import type { CuelineError } from '../errors.ts';
import type { RunState } from '../log/state.ts';

/** What only the run knows, and not its log. */
export type RunOverlay = {
  queued: number;
  replaying: boolean;
  storageError: CuelineError | undefined;
};

/** Lays what only the run knows over a log's state. Gives the same object while neither has changed. */
export function createStateOverlay(): (base: RunState, overlay: RunOverlay) => RunState {
  let last: { base: RunState; overlay: RunOverlay; state: RunState } | undefined;

  return (base, overlay) => {
    const { queued, replaying, storageError } = overlay;
    const isSame =
      last?.base === base &&
      last.overlay.queued === queued &&
      last.overlay.replaying === replaying &&
      last.overlay.storageError === storageError;
    if (last !== undefined && isSame) return last.state;
    const asItIs = queued === 0 && !replaying && storageError === undefined;
    const error = storageError === undefined ? {} : { storageError: storageError.toJSON() };
    const state = asItIs ? base : { ...base, queued, replaying, ...error };
    last = { base, overlay, state };
    return state;
  };
}
