import { useEffect, useRef, useState } from 'react';

/** How long between two announcements, in milliseconds; a screen reader that is spoken over says nothing. */
const PAUSE_MS = 1_500;

/** Speaks `words` to screen readers when they change, politely, and the latest where they change fast. */
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
