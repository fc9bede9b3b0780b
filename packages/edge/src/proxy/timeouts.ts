/** Calls `call` once after `ms` milliseconds, and returns a function that cancels it. Infinity means never. */
export function after(ms: number, call: () => void): () => void {
  // longer than a timer can wait: it would fire at once
  if (ms > 0x7fff_ffff) return () => {};
  const timer = setTimeout(call, ms);
  return () => clearTimeout(timer);
}

/** A timer that is started and stopped many times. */
export type Watch = { begin(): void; end(): void; stop(): void };

/** Calls `call` if the time between `begin` and `end` exceeds `ms`. It uses one timer, however often it begins. */
export function createWatch(ms: number, call: () => void): Watch {
  let since: number | undefined;
  let stopTimer: (() => void) | undefined;
  function look(): void {
    stopTimer = undefined;
    if (since === undefined) return;
    const left = since + ms - performance.now();
    if (left <= 0) call();
    else stopTimer = after(left, look);
  }
  return {
    begin() {
      since = performance.now();
      stopTimer ??= after(ms, look);
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
    const stop = after(ms, () => reject(new Error(`No answer within ${ms} ms.`)));
    promise.then(resolve, reject).finally(stop);
  });
}
