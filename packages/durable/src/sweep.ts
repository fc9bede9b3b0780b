import type { DurableDriver } from './driver.ts';
import type { DurableStore } from './store.ts';
import { withTimeout } from './with-timeout.ts';

/** The pause between two sweeps, in milliseconds, unless another one is given. */
export const SWEEP_MS = 30_000;
/** How many runs are woken at the same time. */
const AT_ONCE = 16;
/** How long a sweep waits for each answer of the store or the engine, in milliseconds. */
const PATIENCE_MS = 30_000;

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
  /** Runs that were listed and woken just before, as by a sweep. */
  woken: readonly string[];
  ms: number;
  /** Called with the failure of a sweep. Failures of the sweeps after it are the same outage, until one succeeds. */
  onError(error: unknown): void;
};

/**
 * Looks for runs without any event at every sweep, and wakes those that had none at the sweep before, either. Each run is looked
 * up until it has begun, and then no more. A listed run that does not exist is looked up the more rarely, the longer it does not.
 */
export function startSweep({ store, driver, woken, ms, onError }: SweepOptions): { stop(): void } {
  if (ms === Infinity) return { stop() {} };
  let begun = new Set<string>();
  let fresh = new Set(woken);
  /** Listed runs that were not found, and for how many sweeps. A run that is being created is one; so is one whose start was killed. */
  let missing = new Map<string, number>();
  let isSweeping = false;
  let isFailing = false;

  async function sweep(): Promise<void> {
    const stillBegun = new Set<string>();
    const stillFresh = new Set<string>();
    const stillMissing = new Map<string, number>();
    const due: string[] = [];
    for (const runId of await withTimeout(store.unfinished(), PATIENCE_MS)) {
      if (begun.has(runId)) {
        stillBegun.add(runId);
        continue;
      }
      const missed = missing.get(runId) ?? 0;
      const length = isTime(missed) ? await lengthOf(runId) : undefined;
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
    await wakeAll(due, { wake: (runId) => withTimeout(driver.wake(runId), PATIENCE_MS) });
  }

  async function lengthOf(runId: string): Promise<number | undefined> {
    return (await withTimeout(store.find({ runId }), PATIENCE_MS))?.length;
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

/** True after 0, 1, 2, 4, 8, … sweeps. */
function isTime(missed: number): boolean {
  return Number.isInteger(Math.log2(missed)) || missed === 0;
}
