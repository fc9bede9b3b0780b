import { useEffect, useRef, type RefObject } from 'react';

/** The duration of the animation that is never played; any other would do. */
const WHOLE = 1_000;

/**
 * Returns a function that moves an element to the right by a part of its own width, from 0 to 1. The element is
 * placed by a paused animation: for one, the browser moves the element's layer and draws nothing else again. A change
 * of `left` or `transform` makes it put all layers of the page together anew, which takes as long as the rest of the
 * frame.
 */
export function useSlide(element: RefObject<HTMLElement | null>): (part: number) => void {
  const animation = useRef<Animation>(undefined);
  useEffect(
    () => () => {
      animation.current?.cancel();
      animation.current = undefined;
    },
    [],
  );
  return (part) => {
    if (animation.current === undefined) {
      animation.current = element.current?.animate(
        { transform: ['translateX(0)', 'translateX(100%)'] },
        { duration: WHOLE, fill: 'both' },
      );
      animation.current?.pause();
    }
    if (animation.current) animation.current.currentTime = part * WHOLE;
  };
}
