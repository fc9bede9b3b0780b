import { useEffect, useState } from 'react';
import { currentSession, usePlayground, type RunSession } from './store.ts';

/**
 * Whether the run or the evaluation of the open view is in progress. Renders at its start and end, not at its events.
 */
export function useRunning(): boolean {
  const session = usePlayground(currentSession);
  const evaluating = usePlayground((state) => state.view === 'evals' && state.evaluating);
  const [ended, setEnded] = useState(() => (hasEnded(session) ? session : undefined));
  useEffect(() => {
    if (session === undefined) return undefined;
    const stop = session.run.listen((event) => {
      if (event.type === 'run-end') setEnded(session);
    });
    // It may have ended between the render and this effect.
    if (hasEnded(session)) setEnded(session);
    return stop;
  }, [session]);
  return evaluating || (session !== undefined && ended !== session);
}

/** The same without the recording of a first visit, which is no run of the user's to stop. */
export function useOwnRunning(): boolean {
  const replays = usePlayground(({ view, session }) => view === 'script' && session?.recorded === true);
  return useRunning() && !replays;
}

function hasEnded(session: RunSession | undefined): boolean {
  return session?.run.log().at(-1)?.type === 'run-end';
}
