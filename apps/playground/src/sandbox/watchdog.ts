/** Something that must be heard from now and then. */
export type Watchdog = {
  /** Call at every sign of life. */
  heard(): void;
  stop(): void;
};

/**
 * Calls `onSilent` once, when nothing was heard for `patience` milliseconds.
 *
 * Silence is counted in the watcher's own ticks. A late tick does not count, and one that is far too late starts the
 * count anew: then it was the watcher that stood still (a frozen or throttled tab, a busy thread or machine), and
 * maybe the one that it watches with it.
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
    if (elapsed > options.every * 3) silence = 0;
    else if (elapsed < options.every * 1.5) silence += options.every;
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
