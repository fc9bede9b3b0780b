import { startTransition, useEffect, useState } from 'react';
import type { RunSession } from './store.ts';
import { isUnderWay } from '@cueline/core';

/** How long after its start the details of a run are drawn, in milliseconds. */
const DETAILS_AFTER_MS = 500;

/**
 * The session whose details are drawn. Those of a new run come a moment after its start: on a slow computer its first words
 * would have to wait for them.
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
  // what is not new is drawn with the rest of the page
  return isNew ? drawn : session;
}
