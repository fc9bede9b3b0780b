import type { RunEvent, SerializedError } from '@cueline/core';
import type { Model } from '../usage/metered-model.ts';
import { readGuard, rememberGuard, type RunGuardOptions } from './guard-settings.ts';
import { createOpenWork } from '../runs/open-work.ts';
import { beginStep, settleEnded } from './guarded-step.ts';

/** A run that a worker is about to advance by one step. */
export type GuardedRun = {
  runId: string;
  /** How often a worker has taken the run over, including this time. */
  epoch: number;
  prompt: string;
  /** The user to whom it belongs, with daily limits of their own; null is no limit. */
  owner:
    | { subject: string; dailyTokens?: number | null | undefined; dailyCost?: number | null | undefined }
    | undefined;
  /** The tokens that it may use by its own limits. */
  tokens: number | undefined;
  /** How long it has taken so far, in milliseconds, without the time in which it only waited for responses. */
  activeMs: number;
  events: readonly RunEvent[];
  /** Ends the run with this error. */
  end(error: SerializedError): void;
  /** Leaves the run as it is, so that a worker tries again after a pause. */
  tryLater(error: unknown): void;
};

/** One step of a run under a guard. */
export type GuardedStep = {
  wrapModel(model: Model): Model;
  /** Reports events that are stored. */
  stored(events: readonly RunEvent[]): void;
  /** Ends the step. Never rejects. */
  over(outcome: 'next' | 'waiting' | 'done' | 'failed' | 'lost'): Promise<void>;
};

/** Holds durable runs within limits, in every worker: for `createDurable({ guard })` of `@cueline/durable`. */
export type RunGuard = {
  /** Called before each step. If it rejects, no model was called, and a worker tries again after a pause. */
  begin(run: GuardedRun): Promise<GuardedStep>;
  /**
   * Called when a job finds its run ended, because the worker that ended it may have been killed before its step was over. If
   * it rejects, the job is tried again after a pause.
   */
  ended(run: Pick<GuardedRun, 'runId' | 'owner'>): Promise<void>;
  /** Resolves once the limit store has what ended steps have used, or after three seconds. Called when a worker stops. */
  flush(): Promise<void>;
};

/** How long a worker that stops waits for the limit store, in milliseconds. */
const FLUSH_MS = 3_000;

/**
 * Creates a guard for the steps of durable runs: it reserves each model call before it is made, counts what it used, asks the
 * kill switch, and reports what happens. Routes with `createPromptRoute({ durable })` take its limits over for starts.
 * @throws CuelineError `invalid_options`
 *
 * @example
 * const guard = createRunGuard({ limits: { dailyTokens: 200_000 }, limitStore: createRedisLimits(client) });
 * const durable = createDurable({ prompts, store, guard });
 */
export function createRunGuard(options: RunGuardOptions = {}): RunGuard {
  const settings = readGuard(options);
  const settling = createOpenWork();
  const guard: RunGuard = {
    begin: (run) => beginStep(settings, run, settling),
    ended: (run) => settleEnded(settings, run),
    flush: () => settling.over(FLUSH_MS),
  };
  rememberGuard(guard, options, settings);
  return guard;
}
