import { useEffect, useState } from 'react';
import { usePlayground } from './store.ts';

/** Whether a run is under way. Renders at its start and end, not at its events. */
export function useRunning(): boolean {
  const session = usePlayground((state) => state.session);
  const [ended, setEnded] = useState<typeof session>();
  useEffect(() => {
    if (session === undefined) return undefined;
    const stop = session.run.listen((event) => {
      if (event.type === 'run-end') setEnded(session);
    });
    // It may have ended between the render and this effect.
    if (session.run.log().at(-1)?.type === 'run-end') setEnded(session);
    return stop;
  }, [session]);
  return session !== undefined && ended !== session;
}
