import type { RunEvent, SerializedError } from '@cueline/core';
import type { CurrentModel } from '@cueline/core/models';
import type { RunOwner } from './store.ts';

/** A run that is about to be advanced by one step. */
export type GuardedRun = {
  runId: string;
  /** How many times workers have taken the run over, including this time. */
  epoch: number;
  prompt: string;
  /** The user to whom the run belongs; undefined if no route started it. */
  owner: RunOwner | undefined;
  /** The run's own token limit. */
  tokens: number | undefined;
  /** How long the run has taken so far, in milliseconds, without the time in which it only waited for responses. */
  activeMs: number;
  events: readonly RunEvent[];
  /** Ends the run with this error. */
  end(error: SerializedError): void;
  /** Leaves the run as it is. The driver tries again after a pause. */
  tryLater(error: unknown): void;
};

/** How a step ended. `failed`: the driver tries it again. `lost`: another worker has taken the run over. */
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

/** Permits and counts the model calls of runs, in every worker. `createRunGuard` of `@cueline/edge` creates one. */
export type RunGuard = {
  /**
   * Called before each step. If it rejects, the step calls no model and is tried again after a pause. A stop ends the
   * run without waiting for it.
   */
  begin(run: GuardedRun): Promise<GuardedStep>;
  /**
   * Called when a job finds that its run has ended: the worker that ended the run may have been killed before it called
   * `over`. If this rejects, the job is tried again after a pause.
   */
  ended(run: Pick<GuardedRun, 'runId' | 'owner'>): Promise<void>;
  /** Called when a worker stops. Stores the usage of finished steps; the worker waits for it. Must not reject. */
  flush(): Promise<void>;
};
