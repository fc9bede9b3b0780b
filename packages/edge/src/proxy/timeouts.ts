/** Calls `call` once after `ms` milliseconds, and returns a function that cancels it. Infinity means never. */
export function startTimeout(ms: number, call: () => void): () => void {
  // longer than a timer can wait: it would fire at once
  if (ms > 0x7fff_ffff) return () => {};
  const timer = setTimeout(call, ms);
  return () => clearTimeout(timer);
}

/** A timer that is started and stopped many times. */
export type PausableTimeout = { begin(): void; end(): void; stop(): void };

/** Calls `call` if the time between `begin` and `end` exceeds `ms`. It uses one timer, however often it begins. */
export function createPausableTimeout(ms: number, call: () => void): PausableTimeout {
  let since: number | undefined;
  let stopTimer: (() => void) | undefined;
  function check(): void {
    stopTimer = undefined;
    if (since === undefined) return;
    const remaining = since + ms - performance.now();
    if (remaining <= 0) call();
    else stopTimer = startTimeout(remaining, check);
  }
  return {
    begin() {
      since = performance.now();
      stopTimer ??= startTimeout(ms, check);
    },
    end: () => void (since = undefined),
    stop() {
      since = undefined;
      stopTimer?.();
    },
  };
}

/** The promise, or a rejection after `ms` milliseconds. */
export function within<Value>(promise: Promise<Value>, ms: number): Promise<Value> {
  return new Promise((resolve, reject) => {
    const stop = startTimeout(ms, () => reject(new Error(`No answer within ${ms} ms.`)));
    promise.then(resolve, reject).finally(stop);
  });
}
