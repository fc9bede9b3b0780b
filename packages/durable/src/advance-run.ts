import { CuelineError, type PromptOptions } from '@cueline/core';
import { advance, type Advanced, type StoredRun } from '@cueline/core/durable';
import { withoutProviderStorage, type ModelSettings } from '@cueline/core/models';
import type { AdvanceJob } from './driver.ts';
import { guardData, guardModels, missingGuardError, settleEnded } from './guard-step.ts';
import type { GuardedStep, RunGuard, StepOutcome } from './guard.ts';
import { limitsOf } from './limits.ts';
import { createLogCache, type ClaimedLog } from './log-cache.ts';
import { missingPrompt, type Prompts } from './prompts.ts';
import { createStepCommands, type StepCommands } from './step-commands.ts';
import type { DurableStore, RunOwner, StoredCommand } from './store.ts';
import { createTakeovers } from './takeovers.ts';
import { createPromptCheck } from './unknown-prompts.ts';
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
  /** Takes a run over, advances it by one step, and stores its events. Each job of an engine calls it. */
  advance: AdvanceJob;
  /** Stops a run at once if its current step is in this process. */
  stop(runId: string): void;
  /** Makes the current step of a run read its commands at once, if the step is in this process. */
  checkCommands(runId: string): void;
};

/** Creates what advances the runs of a store. A step in progress reads its commands from the store once a second. */
export function createSteps(settings: AdvanceSettings): Steps {
  const { store, prompts, models, options, guard, watch, unknownPromptMs } = settings;
  const logs = createLogCache(store);
  const checkPrompt = createPromptCheck(store, prompts, unknownPromptMs);
  const takeoverOf = createTakeovers(store);
  /** The commands of the steps in progress, by run. */
  const inProgress = new Map<string, StepCommands>();

  return {
    advance: advanceRun,
    stop: (runId) => inProgress.get(runId)?.stopNow(),
    checkCommands: (runId) => inProgress.get(runId)?.check(),
  };

  async function advanceRun(runId: string, signal: AbortSignal): Promise<Advanced> {
    const isOwn = logs.has(runId);
    // before claiming, so that the run stays with a worker that knows its prompt
    if (!isOwn) await checkPrompt(runId);
    const claimed = await logs.claim(runId);
    if (claimed === 'ended') await settleEnded(runId, store, guard);
    // undefined: the run was deleted, or never stored
    if (claimed === 'ended' || claimed === undefined) return { status: 'done' };
    if (claimed.start.guarded === true && guard === undefined) throw missingGuardError(runId);
    const { epoch, log, start } = claimed;
    // a new run has had no other worker, and this worker made the last step of its own runs
    const takeover = isOwn || epoch === 1 ? undefined : takeoverOf(runId, claimed);
    const commands = readableCommands(claimed, prompts);
    const marks = takeover === undefined ? [] : [takeover.mark];
    const sent = createStepCommands(store, runId, [...commands, ...marks]);
    inProgress.set(runId, sent);
    const ending = new AbortController();
    const { controller: leaving, separate } = abortWith(signal);
    let outcome: StepOutcome = 'failed';
    let laterReason: unknown;
    let begun: Promise<GuardedStep> | undefined;
    let step: GuardedStep | undefined;
    const begunWith = log.events.length;
    try {
      begun = guard?.begin({
        runId,
        epoch,
        ...guardData(claimed, options?.limits?.tokens),
        end: (error) => ending.abort(CuelineError.fromJSON(error)),
        tryLater: (error) => {
          laterReason = error;
          leaving.abort(error);
        },
      });
      // a run that is stopped calls no model, so it ends without waiting for the guard
      step = await Promise.race([begun, whenAborted(sent.stop)]);
      if (takeover?.error !== undefined) ending.abort(takeover.error);
      await takeover?.begin(AbortSignal.any([leaving.signal, ending.signal, sent.stop]));
      const advanced = await advance(storedRun(runId, claimed, settings), {
        models: guardModels(modelsFor(start.owner, models), step),
        signal: leaving.signal,
        end: ending.signal,
        stop: sent.stop,
        commands: commands.flatMap(({ command }) => (command.type === 'takeover' ? [] : [command])),
        during: sent.during,
        beforeEnd: sent.checked,
        async append(more) {
          if (!(await store.append(runId, epoch, more))) throw await refused(store, runId, epoch);
          watch.changed(runId);
          takeover?.stored(more);
          step?.stored(more);
        },
      });
      outcome = advanced.status;
      await store.forget(runId, sent.names());
      // a waiting run may wait for days, and continue on another worker
      if (advanced.status === 'next') logs.keep(runId, log);
      if (step === undefined && begun !== undefined) {
        step = await begun;
        step.stored(log.events.slice(begunWith));
      }
      return advanced;
    } catch (error) {
      // the guard's reason does not tell whether another worker has taken the run over
      const isLost = error === laterReason && !(await store.append(runId, epoch, []));
      if (!(error instanceof TakenOverError || isLost)) {
        await takeover?.withdraw();
        throw error;
      }
      outcome = 'lost';
      // the other worker continues the run
      return { status: 'done' };
    } finally {
      separate();
      takeover?.over();
      sent.end();
      if (inProgress.get(runId) === sent) inProgress.delete(runId);
      step ??= await begun?.catch(() => undefined);
      await step?.over(outcome);
    }
  }
}

/** Leaves edits to a worker that knows the prompt: here, an edit would make a waiting run continue and fail. */
function readableCommands({ start, commands }: ClaimedLog, prompts: Prompts): readonly StoredCommand[] {
  return commands.filter(({ command }) => command.type !== 'edit' || prompts.has(start.prompt));
}

/** Returns a controller that aborts with `signal`, and the function that separates the two. */
function abortWith(signal: AbortSignal): { controller: AbortController; separate: () => void } {
  const controller = new AbortController();
  const abort = (): void => controller.abort(signal.reason);
  if (signal.aborted) abort();
  else signal.addEventListener('abort', abort, { once: true });
  return { controller, separate: () => signal.removeEventListener('abort', abort) };
}

/** Returns why the store refused events: another worker has taken the run over, or earlier events are missing. */
async function refused(store: Pick<DurableStore, 'append'>, runId: string, epoch: number): Promise<Error> {
  if (!(await store.append(runId, epoch, []))) return new TakenOverError(runId);
  return new CuelineError(
    'storage_failed',
    `The store has fewer events of run ${runId} than it accepted. The step is repeated from the stored events. Check that the store keeps what it accepts; for Redis, check appendonly and appendfsync.`,
  );
}

function modelsFor(owner: RunOwner | undefined, models: ModelSettings): ModelSettings {
  // a user's messages must not refer to answers that the provider stores
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

async function whenAborted(signal: AbortSignal): Promise<undefined> {
  if (!signal.aborted)
    await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
  return undefined;
}

class TakenOverError extends Error {
  constructor(runId: string) {
    super(`Another worker has taken over run ${runId}.`);
  }
}
