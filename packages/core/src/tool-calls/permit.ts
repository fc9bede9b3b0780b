import type { Semaphore } from './semaphore.ts';

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
