import type { Slots } from './slots.ts';

/** A place that a tool's call has taken. */
export type Place = {
  /**
   * Leaves the place to others for as long as the work takes, and waits for one again before it gives what has come of
   * it: an agent that a tool asks needs places for tools of its own, and would wait for ever where those that ask keep
   * them all.
   */
  lend<Value>(work: () => Promise<Value>): Promise<Value>;
  /** The call has ended. */
  leave(): void;
};

/** Waits for a place. Rejects with the signal's reason when that aborts. */
export async function takePlace(slots: Slots, signal: AbortSignal | undefined): Promise<Place> {
  let release: (() => void) | undefined = await slots.take(signal);
  /** How many agents are at work inside of the call. */
  let inside = 0;
  let left = false;

  function giveBack(): void {
    release?.();
    release = undefined;
  }

  async function comeBack(): Promise<void> {
    // a call that was stopped needs no place to end in
    const again = await slots.take(signal).catch(() => undefined);
    if (left || inside > 0 || release !== undefined) again?.();
    else release = again;
  }

  return {
    async lend(work) {
      inside += 1;
      giveBack();
      try {
        return await work();
      } finally {
        inside -= 1;
        if (inside === 0 && !left) await comeBack();
      }
    },
    leave() {
      left = true;
      giveBack();
    },
  };
}
