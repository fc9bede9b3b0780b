import type {
  EditReply,
  Executor,
  PromptDefinition,
  PromptOptions,
  RunCommand,
  RunEvent,
  RunRequest,
} from '@cueline/core';
import type { Advanced } from '@cueline/core/durable';
import type { ModelSettings } from '@cueline/core/models';
import { createSteps } from './advance-run.ts';
import { checkTexts } from './check-texts.ts';
import type { DurableDriver, DurableWorker } from './driver.ts';
import type { RunGuard } from './guard.ts';
import { inProcessDriver } from './in-process-driver.ts';
import { namelessModel, promptsByName, unknownPrompt } from './prompts.ts';
import { createSender } from './send-command.ts';
import type { DurableStore, FoundRun, ReadEvents, RunOwner, RunQuery } from './store.ts';
import { startWork } from './start-work.ts';
import { UNKNOWN_PROMPT_MS } from './unknown-prompts.ts';
import { createWatch, patiently } from './watch.ts';

export type DurableOptions = {
  /** The prompts, sessions and agents that may run, each under its name. A run that is continued uses the definition of that time. */
  // a definition of any input
  // oxlint-disable-next-line typescript/no-explicit-any
  prompts: readonly PromptDefinition<any>[];
  store: DurableStore;
  /** Where models come from. */
  models?: ModelSettings;
  /** Options of every run, such as limits and approvals. */
  options?: PromptOptions;
  /** What schedules the steps. Default: `inProcessDriver()`. */
  driver?: DurableDriver;
  /**
   * Permits and counts the model calls of every step: `createRunGuard` of `@cueline/edge`. Give the same one in every process.
   * A run that was started with a guard for a user is not advanced by a worker without one.
   */
  guard?: RunGuard | undefined;
  /**
   * How long a run whose prompt this worker does not know is left to other workers, in milliseconds: a newer deployment may know
   * it. After so long without progress the prompt counts as removed, and the run ends with an error. Default 24 hours;
   * `Infinity` for never.
   */
  unknownPromptMs?: number | undefined;
  /**
   * Called with failures that belong to no job: of the search for runs that were not begun, once for each outage of the store
   * or the engine, and of a stop that could not be sent. Failures of jobs are reported to the driver's `onError`. Default:
   * `console.error`.
   */
  onError?(error: unknown, runId: string | undefined): void;
};

/** Runs that outlive their process. */
export type Durable = {
  /** Starts runs and follows them: `createRun(prompt, { executor })`. The runs need not happen in this process. */
  readonly executor: Executor;
  /** The names of the prompts that may run. */
  readonly prompts: readonly string[];
  /** The guard of the steps. */
  readonly guard: RunGuard | undefined;
  /**
   * Starts a run, for a user if `owner` is given, or finds the one that was started with its key. A new run gets
   * `newId`, if that is given.
   */
  begin<Input>(
    request: RunRequest<Input>,
    owner?: RunOwner,
    newId?: string,
  ): Promise<{ runId: string; isNew: boolean }>;
  /** Finds a run in the store. */
  find(which: RunQuery): Promise<FoundRun | undefined>;
  /** Returns the stored events of a run after `afterSeq`. */
  read(runId: string, afterSeq: number): Promise<ReadEvents | undefined>;
  /** Returns the events of a run after `afterSeq`, past and future. Aborting `signal` only stops watching. */
  watch(runId: string, afterSeq: number, signal: AbortSignal): AsyncIterable<RunEvent>;
  /** Lets a worker advance a run soon. Does no harm to a run that waits or has ended. */
  wake(runId: string): Promise<void>;
  /**
   * Advances a run by one step. For drivers; rejects if the store fails, if `signal` aborts, and if the run's prompt is not known
   * here, because a worker of a newer deployment may know it. The driver tries again, if it can with another worker.
   */
  advance(runId: string, signal: AbortSignal): Promise<Advanced>;
  /**
   * Sends a command to a run, or stops it, whether or not a worker is up. A response that is sent again is accepted again, and has
   * no further effect.
   */
  respond(runId: string, command: RunCommand | { type: 'stop' }): Promise<EditReply>;
  /**
   * Begins to work: takes jobs of the driver, and wakes every unfinished run of the store. Every `sweepMs` milliseconds it also
   * wakes runs that were stored and have not begun, because the process that started them was killed in between. Default 30,000;
   * `Infinity` for never.
   */
  work(options?: { sweepMs?: number | undefined }): Promise<DurableWorker>;
};

/**
 * Creates runs whose state is in a store: a crash, a deployment or a wait of days does not end them, and any worker
 * continues them after their last stored event.
 * @throws CuelineError `invalid_options` for prompts without a name or with the same one, and for a remotePrompt
 *
 * @example
 * const durable = createDurable({ prompts: [planDay], store: createSqlStore(new PGlite('./runs')) });
 * await durable.work();
 * const run = createRun(planDay, { executor: durable.executor });
 */
export function createDurable(given: DurableOptions): Durable {
  const { store, models = {}, options, driver = inProcessDriver(), guard, onError = logError } = given;
  const prompts = promptsByName(given.prompts);
  const watch = createWatch(store);
  const { unknownPromptMs = UNKNOWN_PROMPT_MS } = given;
  const steps = createSteps({ store, prompts, models, options, guard, watch, unknownPromptMs });
  const send = createSender({ store, driver, steps });

  /** Follows a run to its end. Aborting the signal ends the run. */
  async function* follow(runId: string, afterSeq: number, signal: AbortSignal): AsyncGenerator<RunEvent> {
    checkTexts({ runId });
    const stop = (): void =>
      void patiently(() => send(runId, { type: 'stop' })).catch((error: unknown) => onError(error, runId));
    if (signal.aborted) stop();
    else signal.addEventListener('abort', stop, { once: true });
    try {
      yield* watch.follow(runId, afterSeq);
    } finally {
      signal.removeEventListener('abort', stop);
    }
  }

  async function begin<Input>(
    { definition, input, model, messages, tasks, options: own, key }: RunRequest<Input>,
    owner?: RunOwner,
    newId = `run-${crypto.randomUUID()}`,
  ): Promise<{ runId: string; isNew: boolean }> {
    checkTexts({ 'The id of the run': newId, key, subject: owner?.subject, chat: owner?.chat });
    if (!prompts.has(definition.name)) throw unknownPrompt(definition.name, prompts);
    if (model !== undefined && typeof model !== 'string') throw namelessModel();
    const created = await store.create({
      runId: newId,
      key,
      start: {
        prompt: definition.name,
        input,
        model,
        messages,
        tasks,
        limits: own?.limits,
        owner,
        startedAt: Date.now(),
        guarded: guard === undefined || owner === undefined ? undefined : true,
      },
    });
    const runId = created === 'created' ? newId : created.runId;
    await driver.wake(runId);
    return { runId, isNew: created === 'created' };
  }

  async function* start<Input>(request: RunRequest<Input>, signal: AbortSignal): AsyncGenerator<RunEvent> {
    const { runId } = await begin(request);
    yield* follow(runId, -1, signal);
  }

  return {
    executor: {
      start,
      attach: follow,
      send,
    },
    prompts: [...prompts.keys()],
    guard,
    begin,
    async find(which) {
      checkTexts(which);
      return store.find(which);
    },
    async read(runId, afterSeq) {
      checkTexts({ runId });
      return store.read(runId, afterSeq);
    },
    watch(runId, afterSeq, signal) {
      checkTexts({ runId });
      return watch.follow(runId, afterSeq, signal);
    },
    async wake(runId) {
      checkTexts({ runId });
      await driver.wake(runId);
    },
    async advance(runId, signal) {
      checkTexts({ runId });
      return steps.advance(runId, signal);
    },
    respond: send,
    work: ({ sweepMs } = {}) =>
      startWork({
        store,
        driver,
        steps,
        guard,
        sweepMs,
        onError: (error) => onError(error, undefined),
      }),
  };
}

function logError(error: unknown, runId: string | undefined): void {
  const what =
    runId === undefined
      ? 'The search for runs that were not begun failed, and is repeated.'
      : `Run ${runId} could not be stopped.`;
  // otherwise a store that is away would only look like one without such runs
  // oxlint-disable-next-line no-console
  console.error(what, error);
}
