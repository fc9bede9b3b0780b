import { useLayoutEffect, useRef, type RefObject } from 'react';

/** The duration of the animation that is never played; any other would do. */
const WHOLE = 1_000;

/**
 * Moves an element to the right by a part of its own width, from 0 to 1; undefined leaves it to its style. The element
 * is placed by a paused animation: for one, the browser moves the element's layer and draws nothing else again. A change of
 * `left` or `transform` makes it put all layers of the page together anew, which takes as long as the rest of the frame.
 */
export function useSlide(element: RefObject<HTMLElement | null>, part: number | undefined): void {
  const animation = useRef<Animation>(undefined);
  const slides = part !== undefined;
  useLayoutEffect(() => {
    if (!slides) return undefined;
    const slide = element.current?.animate(
      { transform: ['translateX(0)', 'translateX(100%)'] },
      { duration: WHOLE, fill: 'both' },
    );
    slide?.pause();
    animation.current = slide;
    return () => slide?.cancel();
  }, [element, slides]);
  useLayoutEffect(() => {
    if (animation.current && part !== undefined) animation.current.currentTime = part * WHOLE;
  }, [part]);
}
