/** The maximum delay of `setTimeout`, in milliseconds. A timer with a longer one fires at once. */
const MAX_TIMER_MS = 2 ** 31 - 1;

/** Calls back after `ms` milliseconds, or after the longest time that a timer can wait. */
export function startTimer(callback: () => void, ms: number): ReturnType<typeof setTimeout> {
  return setTimeout(callback, Math.min(ms, MAX_TIMER_MS));
}

/** Lets the process end while this timer waits: in Node a timer keeps it alive otherwise. */
export function unrefTimer<Timer>(timer: Timer): Timer {
  (timer as { unref?: () => void }).unref?.();
  return timer;
}
