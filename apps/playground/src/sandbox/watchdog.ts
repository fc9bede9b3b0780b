/** Something that must be heard from now and then. */
export type Watchdog = {
  /** Call at every sign of life. */
  heard(): void;
  stop(): void;
};

/**
 * Calls `onSilent` once, when nothing was heard for `patience` milliseconds.
 *
 * Silence is counted in the watcher's own ticks, and a tick that comes far too late starts the count anew: then it was
 * the watcher that stood still (a frozen or throttled tab, a debugger, a busy main thread), not the one it watches.
 */
export function createWatchdog(options: {
  every: number;
  patience: number;
  onTick: () => void;
  onSilent: () => void;
}): Watchdog {
  let last = performance.now();
  let silence = 0;
  options.onTick();
  const timer = setInterval(() => {
    const now = performance.now();
    const elapsed = now - last;
    last = now;
    silence = elapsed > options.every * 3 ? 0 : silence + options.every;
    if (silence >= options.patience) {
      clearInterval(timer);
      options.onSilent();
    } else {
      options.onTick();
    }
  }, options.every);
  return {
    heard: () => {
      silence = 0;
    },
    stop: () => clearInterval(timer),
  };
}
