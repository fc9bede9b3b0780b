import { useEffect, useRef, useState } from 'react';

/** The time between two announcements, in milliseconds; a screen reader drops announcements that come too fast. */
const PAUSE_MS = 3_000;

/** Announces `words` to screen readers when they change, politely; if they change fast, only the latest. */
export function Announce({ words }: { words: string }) {
  const [spoken, setSpoken] = useState('');
  const last = useRef(0);
  useEffect(() => {
    const wait = Math.max(0, last.current + PAUSE_MS - performance.now());
    const timer = setTimeout(() => {
      last.current = performance.now();
      setSpoken(words);
    }, wait);
    return () => clearTimeout(timer);
  }, [words]);
  return (
    <p role="status" aria-live="polite" className="sr-only">
      {spoken}
    </p>
  );
}
