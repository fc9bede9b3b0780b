import type { Advanced } from '@cueline/core/durable';

/** Advances one run by a step, as a job of an engine does. */
export type AdvanceJob = (runId: string, signal: AbortSignal) => Promise<Advanced>;

/** An engine that schedules the steps of runs. The runs' state is in the store, and the engine carries ids only. */
export type DurableDriver = {
  /** Lets some worker advance a run soon. Called when the run is started and when it gets a response. */
  wake(runId: string): Promise<void>;
  /** Begins to work off jobs in this process. */
  work(advance: AdvanceJob): DurableWorker;
};

/** The work of this process. */
export type DurableWorker = {
  /**
   * Takes no more jobs, and resolves once those under way have ended. A step that takes too long is aborted, and another
   * worker continues it.
   */
  stop(): Promise<void>;
};
