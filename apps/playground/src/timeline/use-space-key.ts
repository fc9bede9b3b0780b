import { useEffect, useRef, type RefObject } from 'react';

/** Calls `press` for the space bar inside an element, except on elements that use that key themselves. */
export function useSpaceKey(element: RefObject<HTMLElement | null>, press: () => void): void {
  const latest = useRef(press);
  useEffect(() => void (latest.current = press));
  useEffect(() => {
    const dock = element.current;
    if (dock === null) return undefined;
    const onKeyDown = (event: KeyboardEvent): void => {
      if (event.key !== ' ' || event.ctrlKey || event.metaKey || event.altKey) return;
      if (
        event.target instanceof Element &&
        event.target.closest('button, select, input:not([type=range])') !== null
      )
        return;
      event.preventDefault();
      latest.current();
    };
    dock.addEventListener('keydown', onKeyDown);
    return () => dock.removeEventListener('keydown', onKeyDown);
  }, [element]);
}
