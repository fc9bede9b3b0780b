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
  store: Pick<DurableStore, 'unfinished' | 'find'>;
  driver: Pick<DurableDriver, 'wake'>;
  /** Runs that are looked after already. */
  known: readonly string[];
  ms: number;
  /** Called with the failure of a sweep. Failures of the sweeps after it are the same outage, until one succeeds. */
  onError(error: unknown): void;
};

/**
 * Looks for runs without any event at every sweep, and wakes those that had none at the sweep before, either. Each run is looked
 * up until it has begun, and then no more.
 */
export function startSweep({ store, driver, known, ms, onError }: SweepOptions): { stop(): void } {
  if (ms === Infinity) return { stop() {} };
  let begun = new Set(known);
  let fresh = new Set<string>();
  let isSweeping = false;
  let isFailing = false;

  async function sweep(): Promise<void> {
    const unfinished = await store.unfinished();
    const stillBegun = new Set<string>();
    const stillFresh = new Set<string>();
    const due: string[] = [];
    for (const runId of unfinished) {
      // a run that is listed and not found is being created
      const length = begun.has(runId) ? 1 : (await store.find({ runId }))?.length;
      if (length === undefined) continue;
      if (length > 0) stillBegun.add(runId);
      else {
        stillFresh.add(runId);
        if (fresh.has(runId)) due.push(runId);
      }
    }
    begun = stillBegun;
    fresh = stillFresh;
    await wakeAll(due, driver);
  }

  async function trySweep(): Promise<void> {
    try {
      await sweep();
      isFailing = false;
    } catch (error) {
      if (!isFailing) onError(error);
      isFailing = true;
    }
  }

  const timer = setInterval(() => {
    if (isSweeping) return;
    isSweeping = true;
    void trySweep().finally(() => (isSweeping = false));
  }, ms);
  // the timer alone keeps no process alive
  (timer as { unref?: () => void }).unref?.();
  return { stop: () => clearInterval(timer) };
}
