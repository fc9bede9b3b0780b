import type { DurableDriver } from './driver.ts';
import type { DurableStore } from './store.ts';

/** The default pause between two sweeps, in milliseconds. */
export const SWEEP_MS = 30_000;
/** How many runs are woken at the same time. */
const MAX_CONCURRENT = 16;

/** Wakes runs, several at the same time. Rejects with the first failure. */
export async function wakeAll(runIds: readonly string[], driver: Pick<DurableDriver, 'wake'>): Promise<void> {
  const rest = runIds.values();
  const wakeRest = async (): Promise<void> => {
    for (const runId of rest) await driver.wake(runId);
  };
  await Promise.all(Array.from({ length: Math.min(MAX_CONCURRENT, runIds.length) }, wakeRest));
}

export type SweepOptions = {
  store: Pick<DurableStore, 'unfinished' | 'find'>;
  driver: Pick<DurableDriver, 'wake'>;
  /** The runs that were listed and woken when the work began. The first sweep wakes those that still have no events. */
  woken: readonly string[];
  ms: number;
  /** Called with the first failure of each outage. An outage ends with a sweep that succeeds. */
  onError(error: unknown): void;
};

/**
 * Starts sweeps. A sweep lists the unfinished runs, and wakes those that had no events at the sweep before and still
 * have none. A run that has begun is not looked up again. A listed run that does not exist is looked up less and less
 * often.
 */
export function startSweep({ store, driver, woken, ms, onError }: SweepOptions): { stop(): void } {
  if (ms === Infinity) return { stop() {} };
  let begun = new Set<string>();
  let fresh = new Set(woken);
  /** Listed runs that were not found, and for how many sweeps. Such a run is being created, or its start was killed. */
  let missing = new Map<string, number>();
  let isSweeping = false;
  let isFailing = false;

  async function sweep(): Promise<void> {
    const stillBegun = new Set<string>();
    const stillFresh = new Set<string>();
    const stillMissing = new Map<string, number>();
    const due: string[] = [];
    for (const runId of await store.unfinished()) {
      if (begun.has(runId)) {
        stillBegun.add(runId);
        continue;
      }
      const missed = missing.get(runId) ?? 0;
      const length = isLookupDue(missed) ? await lengthOf(runId) : undefined;
      if (length === undefined) stillMissing.set(runId, missed + 1);
      else if (length > 0) stillBegun.add(runId);
      else {
        stillFresh.add(runId);
        if (fresh.has(runId)) due.push(runId);
      }
    }
    begun = stillBegun;
    fresh = stillFresh;
    missing = stillMissing;
    await wakeAll(due, driver);
  }

  async function lengthOf(runId: string): Promise<number | undefined> {
    return (await store.find({ runId }))?.length;
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
  // the timer must not keep the process alive
  (timer as { unref?: () => void }).unref?.();
  return { stop: () => clearInterval(timer) };
}

/** True after 0, 1, 2, 4, 8, … sweeps. */
function isLookupDue(missed: number): boolean {
  return Number.isInteger(Math.log2(missed)) || missed === 0;
}
