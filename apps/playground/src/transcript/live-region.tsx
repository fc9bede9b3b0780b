import type { RunState } from '@cueline/core';
import { useEffect, useRef, useState } from 'react';
import { announcement } from './view-model.ts';

/** How long between two announcements, in milliseconds; a screen reader that is spoken over says nothing. */
const PAUSE_MS = 1_500;

/** Speaks the run's stand to screen readers: the steps and endings, not every word. */
export function LiveRegion({ state }: { state: RunState }) {
  const words = announcement(state);
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
