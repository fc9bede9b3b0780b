/** The maximum delay of `setTimeout`, in milliseconds. A timer with a longer one fires at once. */
export const MAX_TIMER_MS: number = 2 ** 31 - 1;

/** Calls back after `ms` milliseconds; never if that is longer than a timer can wait, such as Infinity. */
export function startTimer(callback: () => void, ms: number): ReturnType<typeof setTimeout> | undefined {
  return ms > MAX_TIMER_MS ? undefined : setTimeout(callback, ms);
}
