import type { Semaphore } from './semaphore.ts';

/** A place that a tool's call has taken. */
export type Permit = {
  /**
   * Leaves the place to others for as long as the work takes, and waits for one again before it gives what has come of
   * it: an agent that a tool asks needs places for tools of its own, and would wait for ever where those that ask keep
   * them all.
   */
  releaseWhile<Value>(work: () => Promise<Value>): Promise<Value>;
  /** The call has ended. */
  release(): void;
};

/** Waits for a place. Rejects with the signal's reason when that aborts. */
export async function acquirePermit(semaphore: Semaphore, signal: AbortSignal | undefined): Promise<Permit> {
  let release: (() => void) | undefined = await semaphore.acquire(signal);
  /** How many agents are at work inside of the call. */
  let inside = 0;
  let left = false;

  function giveBack(): void {
    release?.();
    release = undefined;
  }

  async function comeBack(): Promise<void> {
    // a call that was stopped needs no place to end in
    const again = await semaphore.acquire(signal).catch(() => undefined);
    if (left || inside > 0 || release !== undefined) again?.();
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
        if (inside === 0 && !left) await comeBack();
      }
    },
    release() {
      left = true;
      giveBack();
    },
  };
}
