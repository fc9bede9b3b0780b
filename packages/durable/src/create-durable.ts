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
import type { DurableDriver, DurableWorker } from './driver.ts';
import type { RunGuard } from './guard.ts';
import { inProcessDriver } from './in-process-driver.ts';
import { namelessModel, promptsByName, unknownPrompt } from './prompts.ts';
import { commandOf, refusalOf } from './respond.ts';
import type { DurableStore, FoundRun, ReadEvents, RunOwner, RunQuery } from './store.ts';
import { startSweep, SWEEP_MS, wakeAll } from './sweep.ts';
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
  /** Advances a run by one step. For drivers; rejects if the store fails or `signal` aborts. */
  advance(runId: string, signal: AbortSignal): Promise<Advanced>;
  /** Sends a command to a run, or stops it, whether or not a worker is up. */
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
  const { store, models = {}, options, driver = inProcessDriver(), guard } = given;
  const prompts = promptsByName(given.prompts);
  const watch = createWatch(store);
  const steps = createSteps({ store, prompts, models, options, guard, watch });

  async function send(runId: string, command: RunCommand | { type: 'stop' }): Promise<EditReply> {
    const read = await store.read(runId, -1);
    const reason = refusalOf(read, command);
    if (reason !== undefined) return { accepted: false, reason };
    const isNew = await store.send(runId, commandOf(command));
    // stored first, so that another worker stops, too, if this one is killed
    if (command.type === 'stop') steps.stop(runId);
    // also for one that was sent before, whose sender may have failed to wake the run
    await driver.wake(runId);
    return isNew
      ? { accepted: true }
      : { accepted: false, reason: 'It was answered already, or the run has ended.' };
  }

  /** Follows a run to its end. Aborting the signal ends the run. */
  async function* follow(runId: string, afterSeq: number, signal: AbortSignal): AsyncGenerator<RunEvent> {
    const stop = (): void => void patiently(() => send(runId, { type: 'stop' })).catch(() => {});
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

  async function wakeUnfinished(): Promise<string[]> {
    const unfinished = await store.unfinished();
    await wakeAll(unfinished, driver);
    return unfinished;
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
    find: (which) => store.find(which),
    read: (runId, afterSeq) => store.read(runId, afterSeq),
    watch: (runId, afterSeq, signal) => watch.follow(runId, afterSeq, signal),
    advance: steps.advance,
    respond: send,
    async work({ sweepMs = SWEEP_MS } = {}) {
      const worker = driver.work(steps.advance);
      const unfinished = await wakeUnfinished().catch(async (error: unknown) => {
        // otherwise nothing could stop it
        await worker.stop();
        throw error;
      });
      const sweep = startSweep({ store, driver, known: unfinished, ms: sweepMs });
      return {
        async stop() {
          sweep.stop();
          await worker.stop();
          await guard?.flush();
        },
      };
    },
  };
}
