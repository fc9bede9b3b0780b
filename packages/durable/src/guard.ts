import type { RunEvent, SerializedError } from '@cueline/core';
import type { CurrentModel } from '@cueline/core/models';
import type { RunOwner } from './store.ts';

/** A run that is about to be advanced by one step. */
export type GuardedRun = {
  runId: string;
  /** How often a worker has taken the run over, including this time. */
  epoch: number;
  prompt: string;
  /** The user to whom it belongs. Undefined for a run that no route has started. */
  owner: RunOwner | undefined;
  /** The tokens that it may use by its own limits. */
  tokens: number | undefined;
  /** How long it has taken so far, in milliseconds, without the time in which it only waited for responses. */
  activeMs: number;
  events: readonly RunEvent[];
  /** Ends the run with this error. */
  end(error: SerializedError): void;
  /** Leaves the run as it is, and lets the driver try again after a pause. */
  tryLater(error: unknown): void;
};

/** How a step has ended. `failed`: it is tried again; `lost`: another worker has taken the run over. */
export type StepOutcome = 'next' | 'waiting' | 'done' | 'failed' | 'lost';

/** One step of a run under a guard. */
export type GuardedStep = {
  /** Wraps each model that the step calls, including those of agents. */
  wrapModel(model: CurrentModel): CurrentModel;
  /** Called with events once they are stored. */
  stored(events: readonly RunEvent[]): void;
  /** Called once the step is over. Must not reject. */
  over(outcome: StepOutcome): Promise<void>;
};

/** Permits and counts what runs do, in every worker. `createRunGuard` of `@cueline/edge` returns one. */
export type RunGuard = {
  /** Called before each step. If it rejects, no model was called, and the step is tried again after a pause. */
  begin(run: GuardedRun): Promise<GuardedStep>;
  /**
   * Called when a job finds its run ended, because the worker that ended it may have been killed before its step was over. If
   * it rejects, the job is tried again after a pause.
   */
  ended(run: Pick<GuardedRun, 'runId' | 'owner'>): Promise<void>;
  /** Called when a worker stops, which waits for it: stores what steps that are over have used. Must not reject. */
  flush(): Promise<void>;
};
