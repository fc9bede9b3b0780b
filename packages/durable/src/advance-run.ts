import { CuelineError, type PromptOptions } from '@cueline/core';
import { advance, type Advanced, type StoredRun } from '@cueline/core/durable';
import { withoutProviderStorage, type ModelSettings } from '@cueline/core/models';
import type { AdvanceJob } from './driver.ts';
import type { GuardedStep, RunGuard, StepOutcome } from './guard.ts';
import { guardedFacts, guardModels, settleEnded, unguarded } from './guard-step.ts';
import { createKnownLogs, type ClaimedLog } from './known-logs.ts';
import { missingPrompt, type Prompts } from './prompts.ts';
import { limitsOf } from './limits.ts';
import { createStepCommands, type StepCommands } from './step-commands.ts';
import type { DurableStore, RunOwner } from './store.ts';
import { createUnknownPrompts } from './unknown-prompts.ts';
import type { Watch } from './watch.ts';

export type AdvanceSettings = {
  store: DurableStore;
  prompts: Prompts;
  models: ModelSettings;
  options: PromptOptions | undefined;
  guard: RunGuard | undefined;
  watch: Watch;
  unknownPromptMs: number;
};

/** Advances runs in this process. */
export type Steps = {
  /** What a job of an engine does: it takes a run over, advances it by one step, and stores what happens. */
  advance: AdvanceJob;
  /** Ends a step under way in this process, and its run with it. */
  stop(runId: string): void;
  /** Lets a step under way in this process look for what was sent to its run. */
  look(runId: string): void;
};

/** Creates the steps of the runs in a store. A step under way looks for commands there once a second. */
export function createSteps(settings: AdvanceSettings): Steps {
  const { store, prompts, models, options, guard, watch, unknownPromptMs } = settings;
  const logs = createKnownLogs(store);
  const checkPrompt = createUnknownPrompts(store, prompts, unknownPromptMs);
  /** What is sent to the steps under way. */
  const underWay = new Map<string, StepCommands>();

  return {
    advance: advanceRun,
    stop: (runId) => underWay.get(runId)?.stopNow(),
    look: (runId) => underWay.get(runId)?.look(),
  };

  async function advanceRun(runId: string, signal: AbortSignal): Promise<Advanced> {
    // before it is taken over, so that it stays with a worker that knows its prompt
    if (!logs.has(runId)) await checkPrompt(runId);
    const claimed = await logs.claim(runId);
    if (claimed === 'ended') await settleEnded(runId, store, guard);
    // forgotten, or never stored
    if (claimed === 'ended' || claimed === undefined) return { status: 'done' };
    if (claimed.start.guarded === true && guard === undefined) throw unguarded(runId);
    const { epoch, log, start } = claimed;
    // an edit is left to a worker that knows the prompt, because a run that waits would be started for it
    const commands = claimed.commands.filter(
      ({ command }) => command.type !== 'edit' || prompts.has(start.prompt),
    );
    const sent = createStepCommands(store, runId, commands);
    underWay.set(runId, sent);
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
      const advanced = await advance(storedRun(runId, claimed, settings), {
        models: guardModels(modelsFor(start.owner, models), step),
        signal: leaving.signal,
        end: ending.signal,
        stop: sent.stop,
        commands: commands.map(({ command }) => command),
        during: sent.during,
        async append(more) {
          if (!(await store.append(runId, epoch, more))) throw await refused(store, runId, epoch);
          watch.changed(runId);
          step?.stored(more);
        },
      });
      outcome = advanced.status;
      await store.forget(runId, sent.names());
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
      sent.end();
      if (underWay.get(runId) === sent) underWay.delete(runId);
      await step?.over(outcome);
    }
  }
}

/** Returns why the store has refused events: the run belongs to another worker, or earlier events are missing. */
async function refused(store: DurableStore, runId: string, epoch: number): Promise<Error> {
  if (!(await store.append(runId, epoch, []))) return new LostRun(runId);
  return new CuelineError(
    'storage_failed',
    `The store has fewer events of run ${runId} than it has accepted, so the step is done again from what it has. Check that the store loses nothing, for example appendfsync of Redis.`,
  );
}

function modelsFor(owner: RunOwner | undefined, models: ModelSettings): ModelSettings {
  // what a user sends must not refer to what the provider keeps
  return owner === undefined ? models : withoutProviderStorage(models);
}

function storedRun(
  runId: string,
  { start, log }: ClaimedLog,
  { prompts, options }: Pick<AdvanceSettings, 'prompts' | 'options'>,
): StoredRun {
  const { prompt, input, model, messages, tasks, startedAt } = start;
  const limits = limitsOf(start);
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

/** The run belongs to another worker by now. */
class LostRun extends Error {
  constructor(runId: string) {
    super(`Another worker has taken over run ${runId}.`);
  }
}
