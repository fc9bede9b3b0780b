import { CuelineError } from '@cueline/core';
import { activeTime } from '@cueline/core/durable';
import type { CurrentModel, ModelSettings } from '@cueline/core/models';
import type { GuardedRun, GuardedStep, RunGuard } from './guard.ts';
import { limitsOf } from './limits.ts';
import type { ClaimedLog } from './log-cache.ts';
import type { DurableStore } from './store.ts';

/** Wraps every model in the guard of a step, around the settings' own `wrapModel`. */
export function guardModels(settings: ModelSettings, step: GuardedStep | undefined): ModelSettings {
  if (step === undefined) return settings;
  const { wrapModel = (model: CurrentModel) => model } = settings;
  return { ...settings, wrapModel: (model) => step.wrapModel(wrapModel(model)) };
}

/** Returns the data of a run that a guard gets. */
export function guardData(
  { start, log }: ClaimedLog,
  tokens: number | undefined,
): Pick<GuardedRun, 'prompt' | 'owner' | 'tokens' | 'activeMs' | 'events'> {
  const { prompt, owner, startedAt } = start;
  // a copy: the guard gets later events from `stored`
  const events = [...log.events];
  const elapsed = startedAt === undefined ? undefined : Date.now() - startedAt;
  return {
    prompt,
    owner,
    tokens: limitsOf(start)?.tokens ?? tokens,
    activeMs: activeTime(events, elapsed),
    events,
  };
}

/** Lets the guard of a run that has ended settle what a killed worker left open. */
export async function settleEnded(
  runId: string,
  store: Pick<DurableStore, 'find'>,
  guard: RunGuard | undefined,
): Promise<void> {
  if (guard === undefined) return;
  const found = await store.find({ runId });
  if (found !== undefined) await guard.ended({ runId, owner: found.owner });
}

/** Returns the error of a worker that would call models without limits. */
export function missingGuardError(runId: string): CuelineError {
  return new CuelineError(
    'invalid_options',
    `Run ${runId} was started with a guard, but this worker has none and would call models without limits. Pass the guard: createDurable({ guard, … }).`,
  );
}
