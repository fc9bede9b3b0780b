import { useEffect, useRef } from 'react';

/** How long each text is shown at least, in milliseconds: a text that changes at every frame cannot be read. */
const MIN_SHOWN_MS = 100;

/**
 * Returns a function that shows a text with `write`. The text changes at most ten times a second, and the last one is
 * always shown.
 */
export function useReadout(write: (text: string) => void): (text: string) => void {
  const next = useRef({ text: '', from: 0, frame: 0 });
  useEffect(() => {
    const { current } = next;
    return () => cancelAnimationFrame(current.frame);
  }, []);
  return (text) => {
    const { current } = next;
    current.text = text;
    cancelAnimationFrame(current.frame);
    const show = (): void => {
      const now = performance.now();
      if (now < current.from) {
        current.frame = requestAnimationFrame(show);
        return;
      }
      current.from = now + MIN_SHOWN_MS;
      write(current.text);
    };
    show();
  };
}
