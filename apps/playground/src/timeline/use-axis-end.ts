import { useEffect, useLayoutEffect, useRef, useState, type RefObject } from 'react';
import { prefersReducedMotion, tickInterval } from '../ui/reduced-motion.ts';

/**
 * The end of the time axis: the time of the last event, or now while the run is under way. The element's
 * `--end` grows at every frame, and the result a few times a second; with less motion, both once a second.
 */
export function useAxisEnd(
  element: RefObject<HTMLElement | null>,
  { seq, elapsed, startedAt, live }: { seq: number; elapsed: number; startedAt: number; live: boolean },
): number {
  const [now, setNow] = useState(0);
  const latest = useRef({ seq: -1, elapsed: 0, at: 0 });
  useEffect(() => {
    const at = performance.now();
    // an event may have come long before this is drawn for the first time
    const arrived = latest.current.at === 0 && seq > 0 ? Math.min(at, startedAt + elapsed) : at;
    if (latest.current.at === 0 || latest.current.seq !== seq) latest.current = { seq, elapsed, at: arrived };
  }, [seq, elapsed, startedAt]);
  useEffect(() => {
    if (!live) return undefined;
    const tick = tickInterval();
    const grows = !prefersReducedMotion();
    let drawn = 0;
    let frame = requestAnimationFrame(function grow() {
      const at = performance.now();
      const end = latest.current.elapsed + at - latest.current.at;
      const isTick = at - drawn >= tick;
      if (grows || isTick) element.current?.style.setProperty('--end', String(Math.max(end, 1)));
      if (isTick) {
        drawn = at;
        setNow(end);
      }
      frame = requestAnimationFrame(grow);
    });
    return () => cancelAnimationFrame(frame);
  }, [element, live]);
  const end = Math.max(live ? now : 0, elapsed, 1);
  useLayoutEffect(() => {
    // while the run is under way, this value is a little late
    const style = element.current?.style;
    if (!live || style?.getPropertyValue('--end') === '') style?.setProperty('--end', String(end));
  }, [element, end, live]);
  return end;
}
