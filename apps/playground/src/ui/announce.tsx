import { useEffect, useRef, useState } from 'react';
import { createPortal } from 'react-dom';

/** The time between two announcements, in milliseconds; a screen reader drops announcements that come too fast. */
const PAUSE_MS = 3_000;

/**
 * Announces `text` to screen readers when it changes, politely; if it changes fast, only the latest. It is outside
 * all panes, because a screen reader does not read an element of a hidden one.
 */
export function Announce({ text }: { text: string }) {
  const [spoken, setSpoken] = useState('');
  const last = useRef(0);
  useEffect(() => {
    const wait = Math.max(0, last.current + PAUSE_MS - performance.now());
    const timer = setTimeout(() => {
      last.current = performance.now();
      setSpoken(text);
    }, wait);
    return () => clearTimeout(timer);
  }, [text]);
  // a test that renders to a string has no page
  if (!('document' in globalThis)) return null;
  return createPortal(
    <p role="status" aria-live="polite" className="sr-only">
      {spoken}
    </p>,
    document.body,
  );
}
