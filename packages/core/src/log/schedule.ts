/**
 * Calls back soon: in a browser with the next frame, elsewhere after about one frame's time. Returns a function that
 * cancels.
 */
export type Scheduler = (callback: () => void) => () => void;

const FRAME_MS = 16;
/** How often a hidden tab updates, in milliseconds. It gets no frames, and a run in it must still be seen to end. */
const HIDDEN_TAB_MS = 250;

type FrameHost = {
  requestAnimationFrame?: (callback: () => void) => number;
  cancelAnimationFrame?: (handle: number | undefined) => void;
};

/** The default {@link Scheduler}: once a frame, and at least four times a second in a hidden tab. */
export const nextFrame: Scheduler = (callback) => {
  const host = globalThis as FrameHost;
  const cancel = (): void => {
    host.cancelAnimationFrame?.(frame);
    clearTimeout(timer);
  };
  const fire = (): void => {
    cancel();
    callback();
  };
  const frame = host.requestAnimationFrame?.(fire);
  const timer = setTimeout(fire, frame ? HIDDEN_TAB_MS : FRAME_MS);
  return cancel;
};
