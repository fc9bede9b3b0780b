import { startTransition, useEffect, useState } from 'react';
import type { RunSession } from './store.ts';
import { isUnderWay } from '@cueline/core';

/**
 * How long after the start of a run each of its details is drawn, in milliseconds. Drawn at once, they would keep a slow
 * computer busy for a third of a second.
 */
const drawnAfterMs = { timeline: 500, inspector: 600, lines: 700 };
/** How much later those of the recording are drawn: the editor of a first visitor comes before them. */
const RECORDING_MS = 1_000;

/**
 * The session whose details are drawn in one part of the page. Those of a new run are drawn a moment after its start, so
 * that they do not delay its first words on a slow computer.
 */
export function useRunDetails(
  session: RunSession | undefined,
  part: keyof typeof drawnAfterMs,
): RunSession | undefined {
  const [drawn, setDrawn] = useState(session);
  const isNew = session !== undefined && session.id !== drawn?.id && isUnderWay(session.run.getState());
  useEffect(() => {
    const draw = (): void => startTransition(() => setDrawn(session));
    if (!isNew) return draw();
    const timer = setTimeout(draw, drawnAfterMs[part] + (session.recorded === true ? RECORDING_MS : 0));
    return () => clearTimeout(timer);
  }, [session, isNew, part]);
  // an earlier run is drawn with the rest of the page
  return isNew ? drawn : session;
}
