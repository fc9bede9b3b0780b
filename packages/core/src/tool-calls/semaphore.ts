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

/** A tool call's permit to run. */
export type Permit = {
  /**
   * Releases the permit while `work` is pending, and acquires one again before it returns. An agent that a tool
   * asks needs permits for its own tools and would wait forever if the calls that wait for agents kept all
   * permits.
   */
  releaseWhile<Value>(work: () => Promise<Value>): Promise<Value>;
  /** Releases the permit, because the call has ended. */
  release(): void;
};

/** Waits for a permit. Rejects with the signal's reason if the signal aborts. */
export async function acquirePermit(semaphore: Semaphore, signal: AbortSignal | undefined): Promise<Permit> {
  let release: (() => void) | undefined = await semaphore.acquire(signal);
  /** The number of agents that work inside the call. */
  let inside = 0;
  let released = false;

  function giveBack(): void {
    release?.();
    release = undefined;
  }

  async function comeBack(): Promise<void> {
    // a stopped call needs no permit to end
    const again = await semaphore.acquire(signal).catch(() => undefined);
    if (released || inside > 0 || release !== undefined) again?.();
    else release = again;
  }

  return {
    async releaseWhile(work) {
      inside += 1;
      giveBack();
      try {
        return await work();
      } finally {
        inside -= 1;
        if (inside === 0 && !released) await comeBack();
      }
    },
    release() {
      released = true;
      giveBack();
    },
  };
}
