import { useEffect, useState, type RefObject } from 'react';

/** Heights are rounded up to a multiple of this, in pixels, so that few height changes cause a render. */
const UNIT = 100;

/** Returns the height of an element in pixels, rounded up. */
export function useRoughHeight(element: RefObject<HTMLElement | null>): number {
  const [height, setHeight] = useState(() => innerHeight);
  useEffect(() => {
    if (element.current === null) return undefined;
    const observer = new ResizeObserver(([entry]) => {
      const exact = entry?.contentRect.height ?? innerHeight;
      setHeight(Math.ceil(exact / UNIT) * UNIT);
    });
    observer.observe(element.current);
    return () => observer.disconnect();
  }, [element]);
  return height;
}
