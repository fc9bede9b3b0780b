import { useEffect, useLayoutEffect, useState, type RefObject } from 'react';
import type { RunClock } from '../state/run-clock.ts';
import { prefersReducedMotion, tickInterval } from '../ui/reduced-motion.ts';

/**
 * The end of the time axis: the time of the last event, or now while the run is in progress. The element's
 * `--end` grows at every frame, and the result a few times a second; with less motion, both once a second.
 */
export function useAxisEnd(
  element: RefObject<HTMLElement | null>,
  { elapsed, clock, live }: { elapsed: number; clock: RunClock; live: boolean },
): number {
  const [now, setNow] = useState(0);
  useEffect(() => {
    if (!live) return undefined;
    const tick = tickInterval();
    const grows = !prefersReducedMotion();
    let drawn = 0;
    let frame = requestAnimationFrame(function grow() {
      const at = performance.now();
      const end = clock.now();
      const isTick = at - drawn >= tick;
      if (grows || isTick) element.current?.style.setProperty('--end', String(Math.max(end, 1)));
      if (isTick) {
        drawn = at;
        setNow(end);
      }
      frame = requestAnimationFrame(grow);
    });
    return () => cancelAnimationFrame(frame);
  }, [element, clock, live]);
  const end = Math.max(live ? now : 0, elapsed, 1);
  useLayoutEffect(() => {
    // while the run is in progress, this value is a little late
    const style = element.current?.style;
    if (!live || style?.getPropertyValue('--end') === '') style?.setProperty('--end', String(end));
  }, [element, end, live]);
  return end;
}
