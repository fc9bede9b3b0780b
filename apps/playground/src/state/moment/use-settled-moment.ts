import { create } from 'zustand';
import { useInspection, type Moment } from '../inspection.ts';
import { followSettled } from './follow-settled.ts';

/**
 * The moment to show in a part of the page that takes long to draw. While the user drags through a run, it is the
 * moment where the pointer rests.
 */
export const useSettledMoment = create<{ readonly moment: Moment | undefined }>()(() => ({
  moment: useInspection.getState().moment,
}));

followSettled((moment) => useSettledMoment.setState({ moment }));
