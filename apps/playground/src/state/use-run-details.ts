import { startTransition, useEffect, useState } from 'react';
import type { RunSession } from './store.ts';
import { isUnderWay } from '@cueline/core';

/** How long after its start the details of a run are drawn, in milliseconds. */
const DETAILS_AFTER_MS = 500;

/**
 * The session whose details are drawn. The details of a new run are drawn a moment after its start, so that they do not
 * delay its first words on a slow computer.
 */
export function useRunDetails(session: RunSession | undefined): RunSession | undefined {
  const [drawn, setDrawn] = useState(session);
  const isNew = session !== undefined && session.id !== drawn?.id && isUnderWay(session.run.getState());
  useEffect(() => {
    const draw = (): void => startTransition(() => setDrawn(session));
    if (!isNew) return draw();
    const timer = setTimeout(draw, DETAILS_AFTER_MS);
    return () => clearTimeout(timer);
  }, [session, isNew]);
  // an earlier run is drawn with the rest of the page
  return isNew ? drawn : session;
}
