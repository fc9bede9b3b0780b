import { isInProgress } from '@cueline/core';
import { startTransition, useEffect, useState } from 'react';
import type { RunSession } from './store.ts';

/**
 * How long after the start of a run each of its details is drawn, in milliseconds. Drawn at once, they would keep a
 * slow computer busy for a third of a second.
 */
const ofNewRun = { timeline: 800, inspector: 900, lines: 1_000 };
/** The same for an earlier run that is opened. */
const ofEarlierRun = { timeline: 0, inspector: 100, lines: 200 };
/** How much later those of the recording are drawn: the editor of a first visitor comes before them. */
const RECORDING_MS = 1_000;

/**
 * The session whose details are drawn in one part of the page. Those of a new run are drawn a moment after its start,
 * so that they do not delay its first words on a slow computer; those of an earlier run are drawn after its
 * transcript.
 */
export function useRunDetails(
  session: RunSession | undefined,
  part: keyof typeof ofNewRun,
): RunSession | undefined {
  const [drawn, setDrawn] = useState(session);
  const isOther = session !== undefined && session.id !== drawn?.id;
  const isNew = isOther && isInProgress(session.run.getState());
  useEffect(() => {
    const draw = (): void => startTransition(() => setDrawn(session));
    if (!isOther) return draw();
    const afterMs = (isNew ? ofNewRun : ofEarlierRun)[part];
    const timer = setTimeout(draw, afterMs + (isNew && session.recorded === true ? RECORDING_MS : 0));
    return () => clearTimeout(timer);
  }, [session, isOther, isNew, part]);
  return isOther ? drawn : session;
}
