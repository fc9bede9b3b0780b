import { useCallback, useEffect, useLayoutEffect, useRef, useState, type RefObject } from 'react';

/** How far from its end, in pixels, a list is still shown as being at it. */
const NEAR = 24;

/** How a scrolled list stays at its end. */
export type StickToEnd = {
  /** True while the end is in view. */
  isAtEnd: boolean;
  /** Goes to the end, and stays there while the list grows. */
  stick(): void;
  /** Stays where the list is, until the user scrolls to its end. */
  release(): void;
  /** Call this after each change of a size: it scrolls to the new end, unless the user has scrolled up. */
  settle(): void;
};

type StickToEndOptions = {
  /** True if the scroller starts at its end. */
  atEnd: boolean;
  /** The start of the content that grows. With another one, the scroller starts again. */
  start: object;
};

/**
 * Keeps a scroller at its end while its content grows, until the user scrolls up, and again once the user returns to
 * the end.
 */
export function useStickToEnd(
  scroller: RefObject<HTMLElement | null>,
  { atEnd, start }: StickToEndOptions,
): StickToEnd {
  const [isAtEnd, setAtEnd] = useState(true);
  const sticks = useRef(atEnd);
  const top = useRef(0);

  const settle = useCallback(() => {
    const element = scroller.current;
    if (element === null) return;
    if (sticks.current) element.scrollTo({ top: element.scrollHeight, behavior: 'instant' });
    top.current = element.scrollTop;
    setAtEnd(distanceOf(element) <= NEAR);
  }, [scroller]);

  const release = useCallback(() => {
    sticks.current = false;
  }, []);

  const stick = useCallback(() => {
    sticks.current = true;
    settle();
  }, [settle]);

  useLayoutEffect(() => {
    sticks.current = atEnd;
    // before the paint, but not in the task that draws the rows: the layout of many rows takes as long as they do
    const id = requestAnimationFrame(settle);
    return () => cancelAnimationFrame(id);
  }, [atEnd, start, settle]);

  useEffect(() => {
    const element = scroller.current;
    if (element === null) return undefined;
    const onScroll = (): void => {
      const distance = distanceOf(element);
      const isUp = element.scrollTop < top.current - 1;
      // after each change of a size it is at the end: only the user, or a jump to a row, leaves it
      if (isUp && distance > 1) sticks.current = false;
      else if (!isUp && distance <= NEAR) sticks.current = true;
      top.current = element.scrollTop;
      setAtEnd(distance <= NEAR);
    };
    element.addEventListener('scroll', onScroll, { passive: true });
    return () => element.removeEventListener('scroll', onScroll);
  }, [scroller]);

  return { isAtEnd, stick, release, settle };
}

function distanceOf({ scrollHeight, scrollTop, clientHeight }: HTMLElement): number {
  return scrollHeight - scrollTop - clientHeight;
}
