/** Calls back once after so many ms, and gives what prevents it. Infinity is never. */
export function after(ms: number, call: () => void): () => void {
  // longer than a timer can count, which then fires at once
  if (ms > 0x7fff_ffff) return () => {};
  const timer = setTimeout(call, ms);
  return () => clearTimeout(timer);
}

/** Times what is begun and ended again and again. */
export type Watch = { begin(): void; end(): void; stop(): void };

/** Calls back where what was begun has not ended within so many ms. Has one timer, however often it is begun. */
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

/** The promise, or a rejection after so many ms. */
export function within<Value>(promise: Promise<Value>, ms: number): Promise<Value> {
  return new Promise((resolve, reject) => {
    const stop = after(ms, () => reject(new Error(`No answer within ${ms} ms.`)));
    promise.then(resolve, reject).finally(stop);
  });
}
