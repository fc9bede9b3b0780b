import type { Steps } from './advance-run.ts';
import type { DurableDriver, DurableWorker } from './driver.ts';
import type { RunGuard } from './guard.ts';
import type { DurableStore } from './store.ts';
import { startSweep, SWEEP_MS, wakeAll } from './sweep.ts';

export type WorkOptions = {
  store: DurableStore;
  driver: DurableDriver;
  steps: Steps;
  guard: RunGuard | undefined;
  sweepMs: number | undefined;
  /** Called with the failures of sweeps. */
  onError(error: unknown): void;
};

/**
 * Starts a worker, wakes every unfinished run, and starts sweeps. If the store is unavailable, leaves no worker and
 * rejects.
 */
export async function startWork(options: WorkOptions): Promise<DurableWorker> {
  const { store, driver, steps, guard, sweepMs: ms = SWEEP_MS, onError } = options;
  const worker = driver.work(steps.advance);
  const unfinished = await wakeUnfinished(options).catch(async (error: unknown) => {
    // the caller gets no worker that it could stop
    await worker.stop();
    throw error;
  });
  const sweep = startSweep({ store, driver, woken: unfinished, ms, onError });
  return {
    async stop() {
      sweep.stop();
      await worker.stop();
      await guard?.flush();
    },
  };
}

async function wakeUnfinished({ store, driver }: Pick<WorkOptions, 'store' | 'driver'>): Promise<string[]> {
  const unfinished = await store.unfinished();
  await wakeAll(unfinished, driver);
  return unfinished;
}
