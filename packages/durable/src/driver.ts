import type { Advanced } from '@cueline/core/durable';
import { ANSWER_TIMEOUT_MS, withTimeout } from './with-timeout.ts';

/** Advances a run by one step. A driver calls it for each job. */
export type AdvanceJob = (runId: string, signal: AbortSignal) => Promise<Advanced>;

/** Schedules the steps of runs with an engine. The engine has only the ids; the store has the state. */
export type DurableDriver = {
  /**
   * Makes a worker advance a run soon. Called when a run is started and when it gets a command. If it takes longer
   * than 30 seconds, the start or the command fails.
   */
  wake(runId: string): Promise<void>;
  /** Starts to take jobs in this process. */
  work(advance: AdvanceJob): DurableWorker;
};

/** A worker in this process. */
export type DurableWorker = {
  /**
   * Takes no more jobs, and resolves once the current ones have ended. Aborts steps that take too long; another worker
   * continues them.
   */
  stop(): Promise<void>;
};

/** Returns a driver whose `wake` rejects if its engine does not answer. A late wake-up is harmless. */
export function boundedDriver(driver: DurableDriver): DurableDriver {
  return {
    wake: async (runId) => withTimeout(driver.wake(runId), ANSWER_TIMEOUT_MS),
    work: (advance) => driver.work(advance),
  };
}

/** Returns the app's `onError` as a function that never throws: a mistake in it must not end the worker. */
export function safeOnError<Failure extends [error: unknown, runId: string | undefined]>(
  onError: (...failure: Failure) => unknown,
): (...failure: Failure) => void {
  return (...failure) =>
    void (async () => onError(...failure))().catch((thrown: unknown) => {
      // oxlint-disable-next-line no-console
      console.error('onError threw:', thrown, 'It was called with:', ...failure);
    });
}
