/** A limited number of permits. */
export type Semaphore = {
  /**
   * Waits for a permit. Resolves with a function that releases it. Rejects with the signal's reason if the signal
   * aborts.
   */
  acquire(signal: AbortSignal | undefined): Promise<() => void>;
};

/** Creates a semaphore with `count` permits, which are granted in the order of the requests. */
export function createSemaphore(count: number): Semaphore {
  const waiting: (() => void)[] = [];
  let taken = 0;

  function once(): () => void {
    let acquired = false;
    return () => {
      if (acquired) return;
      acquired = true;
      // a released permit goes directly to the next in line, so that no later request comes first
      const next = waiting.shift();
      if (next === undefined) taken -= 1;
      else next();
    };
  }

  return {
    async acquire(signal) {
      signal?.throwIfAborted();
      if (taken < count) {
        taken += 1;
        return once();
      }
      return new Promise((resolve, reject) => {
        const enter = (): void => {
          signal?.removeEventListener('abort', leave);
          resolve(once());
        };
        const leave = (): void => {
          waiting.splice(waiting.indexOf(enter), 1);
          reject(signal?.reason as Error);
        };
        waiting.push(enter);
        signal?.addEventListener('abort', leave, { once: true });
      });
    },
  };
}
