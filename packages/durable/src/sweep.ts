import type { DurableDriver } from './driver.ts';
import type { DurableStore } from './store.ts';

/** The pause between two sweeps, in milliseconds, unless another one is given. */
export const SWEEP_MS = 30_000;
/** How many runs are woken at the same time. */
const AT_ONCE = 16;

/** Wakes runs, some at the same time. Rejects with the first failure. */
export async function wakeAll(runIds: readonly string[], driver: Pick<DurableDriver, 'wake'>): Promise<void> {
  const rest = runIds.values();
  const wakeRest = async (): Promise<void> => {
    for (const runId of rest) await driver.wake(runId);
  };
  await Promise.all(Array.from({ length: Math.min(AT_ONCE, runIds.length) }, wakeRest));
}

export type SweepOptions = {
  store: Pick<DurableStore, 'unfinished' | 'read'>;
  driver: Pick<DurableDriver, 'wake'>;
  /** Runs that are looked after already. */
  known: readonly string[];
  ms: number;
};

/**
 * Looks for runs without any event at every sweep, and wakes those that had none at the sweep before, either. Each run is read
 * until it has begun, and then no more.
 */
export function startSweep({ store, driver, known, ms }: SweepOptions): { stop(): void } {
  if (ms === Infinity) return { stop() {} };
  let begun = new Set(known);
  let fresh = new Set<string>();
  let isSweeping = false;

  async function sweep(): Promise<void> {
    const unfinished = await store.unfinished();
    const stillBegun = new Set<string>();
    const stillFresh = new Set<string>();
    const due: string[] = [];
    for (const runId of unfinished) {
      const read = begun.has(runId) ? undefined : await store.read(runId, -1);
      if (read === undefined || read.events.length > 0) stillBegun.add(runId);
      else {
        stillFresh.add(runId);
        if (fresh.has(runId)) due.push(runId);
      }
    }
    begun = stillBegun;
    fresh = stillFresh;
    await wakeAll(due, driver);
  }

  const timer = setInterval(() => {
    if (isSweeping) return;
    isSweeping = true;
    // a store that is away is asked again at the next sweep
    void sweep()
      .catch(() => {})
      .finally(() => (isSweeping = false));
  }, ms);
  // the timer alone keeps no process alive
  (timer as { unref?: () => void }).unref?.();
  return { stop: () => clearInterval(timer) };
}
