import { startTransition, useEffect, useState } from 'react';

/** How many rows are drawn at once. */
const STEP = 20;
/** How long after a jump the rest of a list is drawn, in milliseconds. A jump is often followed by another. */
const AFTER_JUMP_MS = 150;

/**
 * How many of `length` rows to draw now. If many rows come at once, it draws a few of them, and a few more in each turn
 * of the event loop, up to `most`, because a row may take a millisecond or more.
 */
export function useDrawnCount(length: number, most: number): number {
  const [drawn, setDrawn] = useState({ count: STEP, length, hasJumped: false });
  let { count, hasJumped } = drawn;
  if (length !== drawn.length) {
    hasJumped = Math.abs(length - drawn.length) > STEP;
    if (hasJumped) count = STEP;
    setDrawn({ count, length, hasJumped });
  }
  const wanted = Math.min(length, most);
  const isWhole = count >= wanted;
  useEffect(() => {
    if (isWhole) return undefined;
    const draw = (): void =>
      startTransition(() => setDrawn((now) => ({ ...now, count: now.count + STEP, hasJumped: false })));
    const timer = setTimeout(draw, hasJumped ? AFTER_JUMP_MS : 0);
    return () => clearTimeout(timer);
    // depends on the length, too: each jump starts the wait again
  }, [count, isWhole, hasJumped, length]);
  return Math.min(count, wanted);
}
