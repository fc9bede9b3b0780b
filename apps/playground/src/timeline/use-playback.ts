import { useLayoutEffect } from 'react';
import { useStore } from 'zustand';
import { useInspection, type Inspection } from '../state/inspection.ts';
import { logOf } from '../state/shown-run.ts';
import type { RunSession } from '../state/store.ts';
import { prefersReducedMotion, tickInterval } from '../ui/reduced-motion.ts';
import {
  createPlayback,
  shownTime,
  type Playback,
  type PlaybackState,
  type PlayedTurns,
} from './playback.ts';

function nextFrame(callback: () => void): () => void {
  const id = requestAnimationFrame(callback);
  return () => cancelAnimationFrame(id);
}

/** The page's playback: one run is shown at a time. */
export const playback: Playback = createPlayback({
  now: () => performance.now(),
  nextFrame,
  nextMoment(callback) {
    if (!prefersReducedMotion()) return nextFrame(callback);
    const timer = setTimeout(callback, tickInterval());
    return () => clearTimeout(timer);
  },
  getShown: () => useInspection.getState(),
  goTo: (moment, time) => useInspection.getState().goTo(moment, time),
});

playback.subscribe(({ playing }, before) => {
  if (playing !== before.playing) useInspection.setState({ playing });
});

export function usePlayback<Selected>(selector: (state: PlaybackState) => Selected): Selected {
  return useStore(playback, selector);
}

export function turnsOf(session: RunSession): PlayedTurns {
  return { count: () => session.earlier.length + 1, log: (turn) => logOf(session, turn) };
}

/**
 * Calls `show` with the time of a turn that is shown: after each render and, without one, whenever it changes, which
 * may be at every frame. Undefined is the present, or another turn.
 */
export function useShownTimeEffect(
  session: RunSession,
  turn: number,
  show: (time: number | undefined) => void,
): void {
  useLayoutEffect(() => {
    const read = (state: Inspection): void => show(timeIn(state, session, turn));
    read(useInspection.getState());
    return useInspection.subscribe(read);
  });
}

/** True while the page shows a moment of this turn. */
export function useHasMoment(turn: number): boolean {
  return useInspection((state) => state.moment?.turn === turn);
}

function timeIn({ moment, time }: Inspection, session: RunSession, turn: number): number | undefined {
  return moment?.turn === turn ? shownTime({ moment, time }, logOf(session, turn)) : undefined;
}
