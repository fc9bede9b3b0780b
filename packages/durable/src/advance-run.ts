import { CuelineError, type PromptOptions } from '@cueline/core';
import { advance, type Advanced, type StoredRun } from '@cueline/core/durable';
import { withoutProviderStorage, type ModelSettings } from '@cueline/core/models';
import type { AdvanceJob } from './driver.ts';
import type { GuardedStep, RunGuard, StepOutcome } from './guard.ts';
import { guardedFacts, guardModels, unguarded } from './guard-step.ts';
import { createKnownLogs, type ClaimedLog } from './known-logs.ts';
import { missingPrompt, type Prompts } from './prompts.ts';
import type { DurableStore, RunOwner } from './store.ts';
import type { Watch } from './watch.ts';

export type AdvanceSettings = {
  store: DurableStore;
  prompts: Prompts;
  models: ModelSettings;
  options: PromptOptions | undefined;
  guard: RunGuard | undefined;
  watch: Watch;
};

/** Creates what a job of an engine does: it takes a run over, advances it by one step, and stores what happens. */
export function createAdvance({
  store,
  prompts,
  models,
  options,
  guard,
  watch,
}: AdvanceSettings): AdvanceJob {
  const logs = createKnownLogs(store);

  return async (runId, signal): Promise<Advanced> => {
    const claimed = await logs.claim(runId);
    // forgotten, or never stored
    if (claimed === 'ended' || claimed === undefined) return { status: 'done' };
    if (claimed.start.guarded === true && guard === undefined) throw unguarded(runId);
    const { epoch, commands, log } = claimed;
    const ending = new AbortController();
    const leaving = new AbortController();
    const leave = (): void => leaving.abort(signal.reason);
    if (signal.aborted) leave();
    else signal.addEventListener('abort', leave, { once: true });
    let outcome: StepOutcome = 'failed';
    let later: unknown;
    let step: GuardedStep | undefined;
    try {
      step = await guard?.begin({
        runId,
        epoch,
        ...guardedFacts(claimed, options?.limits?.tokens),
        end: (error) => ending.abort(CuelineError.fromJSON(error)),
        tryLater: (error) => {
          later = error;
          leaving.abort(error);
        },
      });
      const advanced = await advance(storedRun(runId, claimed), {
        models: guardModels(modelsFor(claimed.start.owner), step),
        signal: leaving.signal,
        end: ending.signal,
        commands: commands.map(({ command }) => command),
        async append(more) {
          if (!(await store.append(runId, epoch, more))) throw new LostRun(runId);
          watch.changed(runId);
          step?.stored(more);
        },
      });
      outcome = advanced.status;
      await store.forget(
        runId,
        commands.map(({ name }) => name),
      );
      // a run that waits may do so for days, and continue elsewhere
      if (advanced.status === 'next') logs.keep(runId, log);
      return advanced;
    } catch (error) {
      // a guard that cannot go on does not know which of the two it is
      const isLost = error === later && !(await store.append(runId, epoch, []));
      if (!(error instanceof LostRun || isLost)) throw error;
      outcome = 'lost';
      // the other worker's job continues it
      return { status: 'done' };
    } finally {
      signal.removeEventListener('abort', leave);
      await step?.over(outcome);
    }
  };

  function modelsFor(owner: RunOwner | undefined): ModelSettings {
    // what a user sends must not refer to what the provider keeps
    return owner === undefined ? models : withoutProviderStorage(models);
  }

  function storedRun(runId: string, { start, log }: ClaimedLog): StoredRun {
    const { prompt, input, model, messages, limits, tasks, startedAt } = start;
    const own = limits === undefined ? {} : { limits: { ...options?.limits, ...limits } };
    return {
      runId,
      definition: prompts.get(prompt) ?? missingPrompt(prompt),
      input,
      model,
      messages,
      tasks,
      startedAt,
      options: { ...options, ...own },
      events: log,
    };
  }
}

/** The run belongs to another worker by now. */
class LostRun extends Error {
  constructor(runId: string) {
    super(`Another worker has taken over run ${runId}.`);
  }
}
