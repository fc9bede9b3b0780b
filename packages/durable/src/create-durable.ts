import {
  CuelineError,
  definePrompt,
  type EditReply,
  type Executor,
  type PromptDefinition,
  type PromptOptions,
  type RunCommand,
  type RunEvent,
  type RunRequest,
} from '@cueline/core';
import { advance, checkAdvanceable, type Advanced } from '@cueline/core/durable';
import { withoutProviderStorage, type ModelSettings } from '@cueline/core/models';
import type { DurableDriver, DurableWorker } from './driver.ts';
import { inProcessDriver } from './in-process-driver.ts';
import { commandOf, refusalOf } from './respond.ts';
import type { DurableStore, FoundRun, ReadEvents, RunOwner, RunQuery } from './store.ts';
import { createWatch } from './watch.ts';

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
};

/** Runs that outlive their process. */
export type Durable = {
  /** Starts runs and follows them: `createRun(prompt, { executor })`. The runs need not happen in this process. */
  readonly executor: Executor;
  /** The names of the prompts that may run. */
  readonly prompts: readonly string[];
  /** Starts a run, for a user if `owner` is given, or finds the one that was started with its key. */
  begin<Input>(request: RunRequest<Input>, owner?: RunOwner): Promise<{ runId: string; isNew: boolean }>;
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
  /** Begins to work: takes jobs of the driver, and wakes every unfinished run of the store. */
  work(): Promise<DurableWorker>;
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
  const { store, models = {}, options, driver = inProcessDriver() } = given;
  const prompts = byName(given.prompts);
  const watch = createWatch(store);

  async function advanceRun(runId: string, signal: AbortSignal): Promise<Advanced> {
    const claimed = await store.claim(runId);
    if (claimed === 'ended') return { status: 'done' };
    // forgotten, or never stored
    if (claimed === undefined) return { status: 'done' };
    const { epoch, start, events, commands } = claimed;
    const { prompt, input, model, messages, limits, tasks, owner, startedAt } = start;
    try {
      const advanced = await advance(
        {
          runId,
          definition: prompts.get(prompt) ?? missingPrompt(prompt),
          input,
          model,
          messages,
          tasks,
          startedAt,
          options: {
            ...options,
            ...(limits === undefined ? {} : { limits: { ...options?.limits, ...limits } }),
          },
          events,
        },
        {
          // what a user sends must not refer to what the provider keeps
          models: owner === undefined ? models : withoutProviderStorage(models),
          signal,
          commands: commands.map(({ command }) => command),
          async append(more) {
            if (!(await store.append(runId, epoch, more))) throw new LostRun(runId);
            watch.changed(runId);
          },
        },
      );
      await store.forget(
        runId,
        commands.map(({ name }) => name),
      );
      return advanced;
    } catch (error) {
      // the other worker's job continues it
      if (error instanceof LostRun) return { status: 'done' };
      throw error;
    }
  }

  async function send(runId: string, command: RunCommand | { type: 'stop' }): Promise<EditReply> {
    const read = await store.read(runId, -1);
    const reason = refusalOf(read, command);
    if (reason !== undefined) return { accepted: false, reason };
    const isNew = await store.send(runId, commandOf(command));
    // also for one that was sent before, whose sender may have failed to wake the run
    await driver.wake(runId);
    return isNew
      ? { accepted: true }
      : { accepted: false, reason: 'It was answered already, or the run has ended.' };
  }

  /** Follows a run to its end. Aborting the signal ends the run. */
  async function* follow(runId: string, afterSeq: number, signal: AbortSignal): AsyncGenerator<RunEvent> {
    const stop = (): void => void send(runId, { type: 'stop' }).catch(() => {});
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
  ): Promise<{ runId: string; isNew: boolean }> {
    if (!prompts.has(definition.name)) throw unknownPrompt(definition.name, prompts);
    if (model !== undefined && typeof model !== 'string') throw namelessModel();
    const newId = `run-${crypto.randomUUID()}`;
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
    begin,
    find: (which) => store.find(which),
    read: (runId, afterSeq) => store.read(runId, afterSeq),
    watch: (runId, afterSeq, signal) => watch.follow(runId, afterSeq, signal),
    advance: advanceRun,
    respond: send,
    async work() {
      const worker = driver.work(advanceRun);
      for (const runId of await store.unfinished()) await driver.wake(runId);
      return worker;
    },
  };
}

/** The run belongs to another worker by now. */
class LostRun extends Error {
  constructor(runId: string) {
    super(`Another worker has taken over run ${runId}.`);
  }
}

type Prompts = ReadonlyMap<string, DurableOptions['prompts'][number]>;

function byName(given: DurableOptions['prompts']): Prompts {
  const prompts = new Map<string, DurableOptions['prompts'][number]>();
  for (const prompt of given) {
    if (prompt.name === '' || prompts.has(prompt.name)) {
      const what = prompt.name === '' ? 'A prompt has no name' : `Two prompts are named "${prompt.name}"`;
      throw new CuelineError(
        'invalid_options',
        `${what}, and a stored run knows its prompt by name. Write definePrompt('planDay', …), each with a name of its own.`,
      );
    }
    checkAdvanceable(prompt);
    prompts.set(prompt.name, prompt);
  }
  return prompts;
}

function unknownPrompt(name: string, prompts: Prompts): CuelineError {
  return new CuelineError(
    'invalid_options',
    `Prompt "${name}" is not among those that may run here: ${[...prompts.keys()].join(', ')}. Add it: createDurable({ prompts: [${name}, …], … }).`,
  );
}

function namelessModel(): CuelineError {
  return new CuelineError(
    'invalid_options',
    "The model of this start is an object, and another worker could not create it again. Name it, { model: 'openai:gpt-4o' }, or set it in the prompt's definition.",
  );
}

/** Returns a definition that ends its run, because a deployment has removed the prompt. */
function missingPrompt(name: string): PromptDefinition<unknown> {
  return definePrompt(
    name,
    () => {
      throw new CuelineError(
        'invalid_definition',
        `Prompt "${name}" does not exist any more, so its run cannot continue. Add it to createDurable({ prompts }).`,
      );
    },
    // never called
    { model: 'simulated:demo' },
  ) as PromptDefinition<unknown>;
}
