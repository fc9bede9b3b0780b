/** How long nothing moves before the page counts it as a pause, in milliseconds. */
const PAUSE = 100;

/**
 * Calls `callback` after a pause. Pointer moves that waited while the page was busy are handled before that. Returns
 * a function that cancels the call.
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
