/** A watcher that expects signs of life. */
export type Watchdog = {
  /** Call this at every sign of life. */
  heard(): void;
  stop(): void;
};

/**
 * Calls `onSilent` once, after `patience` milliseconds without a sign of life.
 *
 * The watcher counts silence in its own ticks. A late tick does not count. A tick that is far too late restarts the
 * count: the watcher itself was suspended (a frozen or throttled tab, a busy thread or machine), and perhaps the
 * watched side, too.
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
