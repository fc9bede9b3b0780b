/** How long nothing moves before the page counts it as a pause, in milliseconds. */
const PAUSE = 100;

/**
 * Calls back after a pause. If the page was busy, moves of the pointer may have waited for it: they come before the
 * callback. Returns a function that cancels it.
 */
export function afterPause(callback: () => void): () => void {
  let frame: number | undefined;
  const timer = setTimeout(() => {
    // what waited is handled before this frame, and shown in it
    frame = requestAnimationFrame(() => {
      frame = requestAnimationFrame(callback);
    });
  }, PAUSE);
  return () => {
    clearTimeout(timer);
    if (frame !== undefined) cancelAnimationFrame(frame);
  };
}
