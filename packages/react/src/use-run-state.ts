import type { Run, RunState } from '@cueline/core';
import { useEffect, useState } from 'react';

/**
 * The state of a run, re-rendering at most once a frame. Plain state and an effect: an update of
 * `useSyncExternalStore` is synchronous and makes a transition under way start over, so a stream of them starves it.
 */
export function useRunState(run: Pick<Run, 'getState' | 'subscribe'>): RunState {
  const [seen, setSeen] = useState(() => ({ run, state: run.getState() }));
  useEffect(() => {
    const show = (state: RunState): void => {
      setSeen((before) => (before.run === run && before.state === state ? before : { run, state }));
    };
    // whatever happened between the render and now, or while an Activity was hidden
    show(run.getState());
    return run.subscribe(show);
  }, [run]);
  return seen.run === run ? seen.state : run.getState();
}
