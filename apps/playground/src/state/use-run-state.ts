import { initialState, type Run, type RunState } from '@cueline/core';
import { useEffect, useState } from 'react';

/**
 * The state of a run, at most once a frame. Not `useSyncExternalStore`: its updates are synchronous and would restart
 * every transition that is under way while a model streams.
 */
export function useRunState(run: Run | undefined): RunState {
  const [seen, setSeen] = useState(() => ({ run, state: stateOf(run) }));
  useEffect(() => {
    const show = (state: RunState): void => setSeen({ run, state });
    const unsubscribe = run?.subscribe(show);
    // What came between the render and this effect.
    show(stateOf(run));
    return unsubscribe;
  }, [run]);
  // Never one run's state under another run's name, not even for a frame.
  return seen.run === run ? seen.state : stateOf(run);
}

function stateOf(run: Run | undefined): RunState {
  return run?.getState() ?? initialState;
}
