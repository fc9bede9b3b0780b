import { createOpenWork } from '../runs/open-work.ts';
import { readGuard, rememberGuard, type RunGuardOptions } from './guard-settings.ts';
import type { GuardedRun, GuardedStep } from './guarded-run.ts';
import { beginStep, settleEnded } from './guarded-step.ts';

/** Holds durable runs within limits, in every worker: for `createDurable({ guard })` of `@cueline/durable`. */
export type RunGuard = {
  /** Called before each step. If it rejects, no model was called, and a worker tries again after a pause. */
  begin(run: GuardedRun): Promise<GuardedStep>;
  /**
   * Called when a job finds its run ended, because the worker that ended it may have been killed before its step was
   * over. If it rejects, the job is tried again after a pause.
   */
  ended(run: Pick<GuardedRun, 'runId' | 'owner'>): Promise<void>;
  /**
   * Resolves once the limit store has what ended steps have used, or after three seconds. Called when a worker stops.
   */
  flush(): Promise<void>;
};

/** How long a worker that stops waits for the limit store, in milliseconds. */
const FLUSH_MS = 3_000;

/**
 * Creates a guard for the steps of durable runs: it reserves each model call before it is made, counts what it used,
 * asks the kill switch, and reports what happens. Routes with `createPromptRoute({ durable })` take its limits over
 * for starts.
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
