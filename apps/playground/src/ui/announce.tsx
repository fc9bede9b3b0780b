import { useEffect, useRef, useState } from 'react';

/** The time between two announcements, in milliseconds; a screen reader drops announcements that come too fast. */
const PAUSE_MS = 3_000;

/** Announces `text` to screen readers when it changes, politely; if it changes fast, only the latest. */
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
  return (
    <p role="status" aria-live="polite" className="sr-only">
      {spoken}
    </p>
  );
}
