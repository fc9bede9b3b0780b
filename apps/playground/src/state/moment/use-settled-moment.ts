import { useEffect, useState } from 'react';
import { useInspection, type Moment } from '../inspection.ts';
import { followSettled } from './follow-settled.ts';

/**
 * The moment to show in a pane that takes long to draw. While the user drags through a run, it is the moment where the
 * pointer rests.
 */
export function useSettledMoment(): Moment | undefined {
  const [settled, settle] = useState(() => useInspection.getState().moment);
  useEffect(() => followSettled(settle), []);
  return settled;
}
