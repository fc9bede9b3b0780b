import { startTransition, useEffect, useState } from 'react';

/** How many rows are drawn at once. */
const STEP = 20;

/**
 * How many of `length` rows to draw now. If many come at once, a few are drawn, and at each turn of the page a few
 * more, up to
 * `most`: each may take a millisecond and more.
 */
export function useGradual(length: number, most: number): number {
  const [drawn, setDrawn] = useState({ count: STEP, length });
  let { count } = drawn;
  if (length !== drawn.length) {
    if (Math.abs(length - drawn.length) > STEP) count = STEP;
    setDrawn({ count, length });
  }
  const wanted = Math.min(length, most);
  const isWhole = count >= wanted;
  useEffect(() => {
    if (isWhole) return undefined;
    const timer = setTimeout(() =>
      startTransition(() => setDrawn((now) => ({ ...now, count: now.count + STEP }))),
    );
    return () => clearTimeout(timer);
  }, [count, isWhole]);
  return Math.min(count, wanted);
}
