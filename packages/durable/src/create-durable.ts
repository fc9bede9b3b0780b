import { CuelineError } from '@cueline/core';
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
import { checkNames, refusePromises } from '@cueline/core/server';
import { createSteps } from './advance-run.ts';
import { boundedStore } from './bounded-store.ts';
import { checkMethods } from './check-methods.ts';
import { checkTexts } from './check-texts.ts';
import { boundedDriver, safeOnError, type DurableDriver, type DurableWorker } from './driver.ts';
import type { RunGuard } from './guard.ts';
import { inProcessDriver } from './in-process-driver.ts';
import {
  modelObjectError,
  promptsByName,
  unlistedPromptError,
  unstoredOptionsError,
  type Prompts,
} from './prompts.ts';
import { createSender } from './send-command.ts';
import { startWork } from './start-work.ts';
import type { DurableStart, DurableStore, FoundRun, ReadEvents, RunOwner, RunQuery } from './store.ts';
import { UNKNOWN_PROMPT_MS } from './unknown-prompts.ts';
import { createWatch, retryWhileUnavailable } from './watch.ts';

/** The options of {@link createDurable}. */
export type DurableOptions = {
  /**
   * The prompts, sessions and agents that may run, with unique names. A run always continues with the current
   * definition.
   */
  // prompts have different types of input
  // oxlint-disable-next-line typescript/no-explicit-any
  prompts: readonly PromptDefinition<any>[];
  store: DurableStore;
  /** Keys, providers and aliases of models. */
  models?: ModelSettings | undefined;
  /** Options for every run, such as limits and approvals. */
  options?: PromptOptions | undefined;
  /** Schedules the steps. Default: `inProcessDriver()`. */
  driver?: DurableDriver | undefined;
  /**
   * Permits and counts the model calls of every step, for example `createRunGuard` of `@cueline/edge`. Pass the same
   * guard in every process: a worker without a guard does not advance a run that was started with one for a user.
   */
  guard?: RunGuard | undefined;
  /**
   * How long this worker leaves a run to other workers if it does not know the run's prompt, in milliseconds: a newer
   * deployment may know it. After this time without progress, the prompt counts as removed, and the run ends with an
   * error. Default 24 hours; `Infinity` for never.
   */
  unknownPromptMs?: number | undefined;
  /**
   * Called with failures outside of jobs: if the search for runs that have not begun fails, once per outage of the
   * store or the engine, and if a stop or a wake-up cannot be sent. The driver's `onError` gets the failures of jobs.
   * Default: `console.error`.
   */
  onError?(error: unknown, runId: string | undefined): void;
};

/** The options of a start that are stored, or that this process applies. */
const storedOptions: ReadonlySet<string> = new Set([
  'limits',
  'abortSignal',
] satisfies (keyof PromptOptions)[]);

/** Every option. The compiler compares this list with the type. */
const optionNames: Record<keyof DurableOptions, true> = {
  driver: true,
  guard: true,
  models: true,
  onError: true,
  options: true,
  prompts: true,
  store: true,
  unknownPromptMs: true,
};

const storeMethods: readonly (keyof DurableStore)[] = [
  'create',
  'claim',
  'append',
  'send',
  'commands',
  'forget',
  'read',
  'unfinished',
  'find',
];

const guardMethods: readonly (keyof RunGuard)[] = ['begin', 'ended', 'flush'];

/** Runs that outlive their process. */
export type Durable = {
  /**
   * Starts and follows runs: `createRun(prompt, { executor })`. Any worker may advance them, in this process or in
   * another.
   */
  readonly executor: Executor;
  /** The names of the prompts that may run. */
  readonly prompts: readonly string[];
  /** The guard from the options. */
  readonly guard: RunGuard | undefined;
  /**
   * Starts a run, or returns the run that was started with the same key before. The run belongs to the user `owner`, if
   * given. `newId` is the id of a new run. Default: a random one.
   */
  begin<Input>(
    request: RunRequest<Input>,
    owner?: RunOwner,
    newId?: string,
  ): Promise<{ runId: string; isNew: boolean }>;
  /** Finds a run in the store. */
  find(which: RunQuery): Promise<FoundRun | undefined>;
  /** Returns the stored events of a run after `afterSeq`; undefined for an unknown run. */
  read(runId: string, afterSeq: number): Promise<ReadEvents | undefined>;
  /** Yields the stored events of a run after `afterSeq`, then new ones. Aborting `signal` only ends the reading. */
  watch(runId: string, afterSeq: number, signal: AbortSignal): AsyncIterable<RunEvent>;
  /** Makes a worker advance a run soon. Harmless for a run that waits or has ended. */
  wake(runId: string): Promise<void>;
  /**
   * Advances a run by one step. For drivers. Rejects if the store fails, if `signal` aborts, and if this worker does
   * not know the run's prompt, which a newer deployment may know. The driver then tries again, if possible with
   * another worker.
   */
  advance(runId: string, signal: AbortSignal): Promise<Advanced>;
  /**
   * Sends a command to a run, or stops it, whether or not a worker is up. Sending the same response again is
   * accepted, and has no further effect.
   */
  respond(runId: string, command: RunCommand | { type: 'stop' }): Promise<EditReply>;
  /**
   * Starts a worker in this process. The worker takes jobs from the driver, and wakes every unfinished run of the
   * store. Every `sweepMs` milliseconds it also wakes runs that are stored and have not begun, because the process
   * that started them was killed. Default 30,000; `Infinity` for never.
   */
  work(options?: { sweepMs?: number | undefined }): Promise<DurableWorker>;
};

/**
 * Runs prompts whose state is in a store: a run survives crashes, deployments and waits of days. Any worker continues
 * it after its last stored event.
 * @throws CuelineError `invalid_options` if a prompt has no name, if two have the same name, for a remotePrompt, for
 * a store, a driver or a guard without its methods, and for an unknown option
 *
 * @example
 * const durable = createDurable({ prompts: [planDay], store: createSqlStore(new PGlite('./runs')) });
 * await durable.work();
 * const run = createRun(planDay, { executor: durable.executor });
 */
export function createDurable(given: DurableOptions): Durable {
  checkOptions(given);
  const { models = {}, options, guard } = given;
  const onError = safeOnError(given.onError ?? logError);
  const driver = boundedDriver(given.driver ?? inProcessDriver());
  const store = boundedStore(
    given.store,
    (runId) => void driver.wake(runId).catch((error: unknown) => onError(error, runId)),
  );
  const prompts = promptsByName(given.prompts);
  const watch = createWatch(store);
  const { unknownPromptMs = UNKNOWN_PROMPT_MS } = given;
  const steps = createSteps({ store, prompts, models, options, guard, watch, unknownPromptMs });
  const send = createSender({ store, driver, steps });

  /** Follows a run to its end. Aborting the signal stops the run. */
  async function* follow(runId: string, afterSeq: number, signal: AbortSignal): AsyncGenerator<RunEvent> {
    checkTexts({ runId });
    const stop = (): void =>
      void retryWhileUnavailable(() => send(runId, { type: 'stop' })).catch((error: unknown) =>
        onError(error, runId),
      );
    if (signal.aborted) stop();
    else signal.addEventListener('abort', stop, { once: true });
    try {
      yield* watch.follow(runId, afterSeq);
    } finally {
      signal.removeEventListener('abort', stop);
    }
  }

  async function begin<Input>(
    request: RunRequest<Input>,
    owner?: RunOwner,
    newId = `run-${crypto.randomUUID()}`,
  ): Promise<{ runId: string; isNew: boolean }> {
    const { key } = request;
    checkTexts({ 'The id of the run': newId, key, subject: owner?.subject, chat: owner?.chat });
    const created = await store.create({
      runId: newId,
      key,
      start: {
        ...readRequest(request, prompts),
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
    const own = request.options?.abortSignal;
    yield* follow(runId, -1, own === undefined ? signal : AbortSignal.any([signal, own]));
  }

  return {
    executor: { start, attach: follow, send },
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
    async work(options = {}) {
      checkNames('durable.work', options, ['sweepMs'], 'invalid_options');
      const { sweepMs } = options;
      const onSweepError = (error: unknown): void => onError(error, undefined);
      return startWork({ store, driver, steps, guard, sweepMs, onError: onSweepError });
    },
  };
}

/** Returns what is stored of a request. Throws for a prompt that is not listed, and for what cannot be stored. */
function readRequest<Input>(
  { definition, input, model, messages, tasks, options = {} }: RunRequest<Input>,
  prompts: Prompts,
): Omit<DurableStart, 'startedAt'> {
  if (!prompts.has(definition.name)) throw unlistedPromptError(definition.name, prompts);
  if (model !== undefined && typeof model !== 'string') throw modelObjectError();
  // an approval that is left out would let a tool run without it
  const notStored = Object.entries(options).filter(
    ([name, value]) => value !== undefined && !storedOptions.has(name),
  );
  if (notStored.length > 0) throw unstoredOptionsError(notStored.map(([name]) => name));
  return { prompt: definition.name, input, model, messages, tasks, limits: options.limits };
}

/** @throws CuelineError `invalid_options` */
function checkOptions(given: DurableOptions): void {
  checkNames('createDurable', given ?? null, Object.keys(optionNames), 'invalid_options', (name) =>
    name === 'limits'
      ? 'createDurable has no "limits". Those of a run are in its options: { options: { limits } }; those of a user are in a guard: { guard: createRunGuard({ limits }) }.'
      : undefined,
  );
  refusePromises('createDurable', given);
  const { store, driver, guard, unknownPromptMs } = given;
  checkMethods('The store of createDurable', store, storeMethods, '{ store: createMemoryStore() }');
  if (driver !== undefined)
    checkMethods('The driver of createDurable', driver, ['wake', 'work'], '{ driver: inProcessDriver() }');
  if (guard !== undefined)
    checkMethods('The guard of createDurable', guard, guardMethods, '{ guard: createRunGuard({ limits }) }');
  if (unknownPromptMs === undefined || unknownPromptMs >= 0) return;
  throw new CuelineError(
    'invalid_options',
    `The unknownPromptMs of createDurable is ${String(unknownPromptMs)}. Write milliseconds, or leave it out for 24 hours.`,
  );
}

function logError(error: unknown, runId: string | undefined): void {
  const what =
    runId === undefined
      ? 'The search for runs that have not begun failed. The worker repeats it. Check that the store and the engine are up.'
      : `Run ${runId} could not be stopped or woken. Check that the store and the engine are up. If you stopped the run, stop it again.`;
  // without this message, an unavailable store would look like a store without such runs
  // oxlint-disable-next-line no-console
  console.error(what, error);
}
