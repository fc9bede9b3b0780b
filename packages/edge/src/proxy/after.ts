/** Calls back once after so many ms, and gives what prevents it. Infinity is never. */
export function after(ms: number, call: () => void): () => void {
  // longer than a timer can count, which then fires at once
  if (ms > 0x7fff_ffff) return () => {};
  const timer = setTimeout(call, ms);
  return () => clearTimeout(timer);
}

/** The promise, or a rejection after so many ms. */
export function within<Value>(promise: Promise<Value>, ms: number): Promise<Value> {
  return new Promise((resolve, reject) => {
    const stop = after(ms, () => reject(new Error(`No answer within ${ms} ms.`)));
    promise.then(resolve, reject).finally(stop);
  });
}
