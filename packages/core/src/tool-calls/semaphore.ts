/** Places of which only so many can be taken at a time. */
export type Semaphore = {
  /** Waits for a place, and resolves with the way to give it back. Rejects with the signal's reason when that aborts. */
  acquire(signal: AbortSignal | undefined): Promise<() => void>;
};

/** As many places as `count` says; whoever waits longest gets the next. */
export function createSemaphore(count: number): Semaphore {
  const waiting: (() => void)[] = [];
  let taken = 0;

  function once(): () => void {
    let given = false;
    return () => {
      if (given) return;
      given = true;
      // a place goes from hand to hand, so nobody can come in between
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
