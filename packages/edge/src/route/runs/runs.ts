import {
  inProcess,
  type EditReply,
  type RunCommand,
  type RunEvent,
  type RunRequest,
  type SerializedError,
} from '@cueline/core';
import type { ModelSettings } from '@cueline/core/models';
import { unrefTimer, startTimer } from '../../base/timer.ts';
import { withTimeout } from '../../base/with-timeout.ts';
import type { Identity } from '../../http/identify.ts';
import type { MemoryUser } from '../../http/memory-use.ts';
import { HttpError } from '../../http/respond.ts';
import { zeroAmount } from '../../limits/amount.ts';
import { isSwitchedOff, onSwitchStop, switchedOff } from '../../limits/kill-switch.ts';
import {
  checkCreated,
  checkFound,
  checkStored,
  type EventBatch,
  type RunLogStore,
  type StoredRun,
} from '../../stores/run-log-store.ts';
import { unknownRunError } from '../read-query.ts';
import type { RouteSettings } from '../settings.ts';
import { leastTokens } from '../usage/least-tokens.ts';
import { createRunBudget, startRefusedError, limitsWithin, type BudgetedRun } from '../usage/run-budget.ts';
import { createRunMeter, type RunMeter } from '../usage/run-meter.ts';
import { hostRun, type HostedRun } from './host-run.ts';
import { createOpenWork, type OpenWork } from './open-work.ts';
import { followRemoteRun } from './remote-run.ts';
import { storedKey } from './start-key.ts';

/** A run, in whichever instance it happens. */
export type ReachedRun = {
  readonly runId: string;
  /** The `seq` of its `run-end`, if it had ended when it was found. */
  readonly endSeq: number | undefined;
  /** Returns the events after `afterSeq`, past and future. Returning from the iteration only stops watching. */
  events(afterSeq: number): AsyncIterable<EventBatch>;
  send(command: RunCommand): Promise<EditReply>;
  stop(): Promise<void>;
  /** Resolves once the run has ended and its reservation is released, or after two seconds. Never rejects. */
  over(): Promise<void>;
};

/**
 * A run, with `started` true if this request started it, and false if it existed, with the same key or in the same
 * place of a conversation.
 */
export type StartedRun = ReachedRun & { started: boolean };

/** A permitted start of a run. */
export type RouteStart = {
  start: RunRequest;
  identity: Identity;
  /** Where its models come from. */
  models: ModelSettings;
  /**
   * Its conversation, and the run of the turn before. Only one run begins after each run: if two are requested at
   * once, on any instances, the second request gets the first run.
   */
  chat?: { id: string; after: string | undefined };
  waitUntil?: ((work: Promise<void>) => void) | undefined;
  /** The memory of the run until its end. */
  user: MemoryUser;
};

/** What a run in this instance needs. */
type Hosting = {
  prompt: string;
  meter: RunMeter;
  /** The work of its functions. */
  work: OpenWork;
  /** Releases its memory. */
  release(): void;
  stop: HostedRun['stop'];
};

/** The runs of a route: those of this instance, and those of every instance with the same store. */
export type Runs = {
  /** Starts a run, or returns the one that was started in its place. Throws an {@link HttpError}: 402, 429 or 503. */
  begin(request: RouteStart): Promise<StartedRun>;
  /** Returns a run. Throws an {@link HttpError} with 404 for an unknown one, and for one of another subject. */
  reach(runId: string, subject: string): Promise<ReachedRun>;
  /** Does the same, but returns undefined in these cases. */
  find(runId: string, subject: string): Promise<ReachedRun | undefined>;
  /** Returns the latest run of a conversation. */
  latest(chat: string, subject: string): Promise<ReachedRun | undefined>;
};

/**
 * How long sending a command to another instance may take, including the discovery that it is gone, in milliseconds.
 */
const COMMAND_MS = 20_000;
/** How long another instance may take to reply, in milliseconds, if the store shows messages at once. */
const REPLY_MS = 4_000;
/** How long to wait for a stopped run, in milliseconds. */
const STOP_MS = 2_000;

/** Creates the runs of a route, without any. */
export function createRuns(settings: RouteSettings): Runs {
  return new RouteRuns(settings);
}

/** The runs of one route in one instance. */
class RouteRuns implements Runs {
  readonly #settings: RouteSettings;
  readonly #store;
  readonly #report;
  readonly #here = new Map<string, { run: HostedRun; settled: Promise<void> }>();
  readonly #budget;

  /**
   * Returns a store's answer. If the store fails, nothing begins. `onLate` gets an answer that comes after the
   * timeout.
   */
  readonly #ask = async <Value>(
    question: () => Promise<Value>,
    ms?: number,
    onLate?: (answer: Value) => Promise<void> | undefined,
  ): Promise<Value> => {
    let answer: Promise<Value> | undefined;
    try {
      answer = question();
      return await withTimeout(answer, ms);
    } catch (error) {
      void answer?.then(onLate).catch(() => {});
      this.#report({ type: 'failed', error });
      throw new HttpError(
        'unavailable',
        'Runs cannot be stored or found at the moment. Try again in a while.',
        {
          retryAfterMs: 1_000,
        },
      );
    }
  };

  constructor(settings: RouteSettings) {
    this.#settings = settings;
    this.#store = settings.store;
    this.#report = settings.report;
    this.#budget = createRunBudget(settings, this.#ask);
  }

  async reach(runId: string, subject: string): Promise<ReachedRun> {
    const run = await this.find(runId, subject);
    if (run === undefined) throw unknownRunError();
    return run;
  }

  async find(runId: string, subject: string): Promise<ReachedRun | undefined> {
    const here = this.#here.get(runId);
    const known = here?.run ?? (await this.#ask(async () => checkStored(await this.#store.get(runId))));
    if (known?.subject !== subject) return undefined;
    return here === undefined ? this.#reachElsewhere(runId, known) : this.#reachHere(here.run, here.settled);
  }

  async latest(chat: string, subject: string): Promise<ReachedRun | undefined> {
    const runId = await this.#findId({ subject, chat });
    return runId === undefined ? undefined : this.reach(runId, subject);
  }

  async begin(asked: RouteStart): Promise<StartedRun> {
    const { start, identity, chat } = asked;
    const settings = this.#settings;
    const { subject, dailyTokens = settings.dailyTokens, dailyCost = settings.dailyCost } = identity;
    const { totalDailyTokens, totalDailyCost } = settings;
    const key = storedKey(start.definition.name, start.key, chat);
    const known = await this.#begunBefore(subject, key);
    if (known !== undefined) return known;
    // the id cannot be guessed, so a client that knows it was given it
    const runId = `run-${crypto.randomUUID()}`;
    const run = { subject, runId, dailyTokens, dailyCost, totalDailyTokens, totalDailyCost };
    await this.#checkSwitch();
    const refused = await this.#budget.reserve(run, leastTokens(start), allowedTokens(start));
    if (refused !== undefined) {
      // the same start may have come twice at once, and taken the last reservation
      const meanwhile = await this.#begunBefore(subject, key);
      if (meanwhile !== undefined) return meanwhile;
      throw startRefusedError(refused, settings);
    }
    const created = await this.#create(run, key, chat?.id);
    if (created !== 'created') {
      await this.#budget.settle(subject, runId, zeroAmount);
      return { ...(await this.reach(created.runId, subject)), started: false };
    }
    return { ...this.#host(asked, run), started: true };
  }

  #findId(which: Parameters<RunLogStore['find']>[0]): Promise<string | undefined> {
    return this.#ask(async () => checkFound(await this.#store.find(which)));
  }

  /** Returns the run that was started with a key before. */
  async #begunBefore(subject: string, key: string | undefined): Promise<StartedRun | undefined> {
    const runId = key === undefined ? undefined : await this.#findId({ subject, key });
    return runId === undefined ? undefined : { ...(await this.reach(runId, subject)), started: false };
  }

  /** Makes room for a run in the store, or returns the run that another request has started with its key meanwhile. */
  async #create(
    { runId, subject }: BudgetedRun,
    key: string | undefined,
    chat: string | undefined,
  ): Promise<'created' | { runId: string }> {
    const { runMs, replayMs } = this.#settings;
    try {
      return await this.#ask(
        async () => checkCreated(await this.#store.create({ runId, subject, key, chat, runMs, replayMs })),
        undefined,
        (late) => (late === 'created' ? this.#store.forget?.(runId) : undefined),
      );
    } catch (error) {
      // this may take a while if that store is also away
      void this.#budget.settle(subject, runId, zeroAmount);
      throw error;
    }
  }

  /** Executes a run in this instance. */
  #host({ start, models, waitUntil, user }: RouteStart, budgeted: BudgetedRun): ReachedRun {
    const { key: _key, ...request } = start;
    const { runId, subject } = budgeted;
    const prompt = request.definition.name;
    const onFailure = (error: unknown): void => this.#report({ type: 'failed', error, runId });
    const options = { ...request.options, limits: limitsWithin(request.options?.limits) };
    const stop: HostedRun['stop'] = (error) => run.stop(error);
    const meter = this.#meterFor(budgeted, prompt, allowedTokens(request), stop);
    const work = createOpenWork();
    const executor = inProcess(
      { ...models, wrapModel: (model) => meter.wrap(model) },
      { onWork: (each) => work.add(each) },
    );
    const hosting = { prompt, meter, work, release: user.retain(), stop };
    const { add, settled } = this.#account(budgeted, hosting);
    const run: HostedRun = hostRun({
      runId,
      subject,
      executor,
      request: { ...request, options },
      store: this.#store,
      runMs: this.#settings.runMs,
      commandBytes: this.#settings.commandBytes,
      showErrors: this.#settings.showErrors,
      showRequests: this.#settings.showRequests,
      onEvent: add,
      permissions: this.#settings.permissions,
      onFailure,
    });
    this.#here.set(runId, { run, settled });
    const forgotten = this.#forgetLater(run);
    // not awaited: the run has begun, and the client that asked for it must be able to find it
    (async () => waitUntil?.(settled.then(() => forgotten)))().catch(onFailure);
    return this.#reachHere(run, settled);
  }

  /** Throws an {@link HttpError} with 503 while the kill switch is on. */
  async #checkSwitch(): Promise<void> {
    const isOff = await isSwitchedOff(this.#settings.options.killSwitch, (error) =>
      this.#report({ type: 'failed', error }),
    );
    if (isOff) throw new HttpError('unavailable', switchedOff);
  }

  /** Creates the meter of a run's model calls. */
  #meterFor(run: BudgetedRun, prompt: string, allowed: number, stop: HostedRun['stop']): RunMeter {
    const { subject, runId, dailyCost = Infinity, totalDailyCost = Infinity } = run;
    return createRunMeter({
      settings: this.#settings,
      needsPrices: Math.min(dailyCost, totalDailyCost) < Infinity,
      allowed,
      setAside: (amount) => this.#budget.setAside(run, amount),
      checkOpen: async () => {
        try {
          await this.#checkSwitch();
        } catch (error) {
          stop(stoppedBySwitch());
          throw error;
        }
      },
      stop,
      onCharge: ({ model, ms, charge, cost }) => {
        const { input: inputTokens, output: outputTokens, cachedInput: cachedInputTokens, basis } = charge;
        const tokens = { inputTokens, outputTokens, cachedInputTokens };
        const about = { runId, subject, prompt, model, ms, ...tokens, basis };
        this.#report({ type: 'model-call', ...about, ...(cost === undefined ? {} : { cost }) });
      },
    });
  }

  /**
   * Registers a run, ends it if the kill switch says so, and settles its reservation once its tools have ended. A
   * tool that ignores its signal continues after its run, and counts for at most `runMs`.
   */
  #account(run: BudgetedRun, hosting: Hosting): { add(event: RunEvent): void; settled: Promise<void> } {
    const { runId, subject } = run;
    const { prompt, meter, stop } = hosting;
    const started = performance.now();
    this.#report({ type: 'run-start', runId, subject, prompt });
    const unsubscribe = onSwitchStop(this.#settings.options.killSwitch, () => stop(stoppedBySwitch()));
    let settle: (settled: Promise<void>) => void;
    const settled = new Promise<void>((resolve) => (settle = resolve));
    return {
      settled,
      add: (event) => {
        if (event.type !== 'run-end') return;
        unsubscribe();
        meter.close();
        const { outcome, error } = event;
        const code = error === undefined ? {} : { code: error.code };
        const ms = Math.round(performance.now() - started);
        this.#report({ type: 'run-end', runId, subject, prompt, outcome, ...code, ms, ...meter.total() });
        settle(this.#release(run, hosting));
      },
    };
  }

  /** Releases the memory and the reservation of a run once its tools have ended. */
  async #release(run: BudgetedRun, { work, meter, release }: Hosting): Promise<void> {
    if (work.count > 0) {
      const held = this.#budget.hold(run, meter.total());
      await work.over(this.#settings.runMs);
      // a store that gets both at once may execute them in the other order
      await held;
    }
    release();
    await this.#budget.settle(run.subject, run.runId, meter.total());
  }

  /** Forgets a run. By then its stored events can be read from the store; the others only here. */
  async #forgetLater({ runId, written }: HostedRun): Promise<void> {
    if (await written) {
      this.#here.delete(runId);
      return;
    }
    unrefTimer(startTimer(() => this.#here.delete(runId), this.#settings.replayMs));
  }

  #reachHere(run: HostedRun, settled: Promise<void>): ReachedRun {
    return {
      runId: run.runId,
      endSeq: run.shown.closed ? run.shown.length - 1 : undefined,
      events: (afterSeq) => run.shown.read(afterSeq + 1),
      send: (command) => run.send(command),
      stop: async () => run.stop(),
      over: () => withTimeout(settled, STOP_MS).catch(() => {}),
    };
  }

  #reachElsewhere(runId: string, { subject, endSeq }: StoredRun): ReachedRun {
    const { quietMs } = this.#settings;
    // the question and the reply may both be late, and their reading takes time
    const replyMs = Math.max(Math.min(REPLY_MS, quietMs), 3 * (this.#store.delayMs ?? 0));
    const run = followRemoteRun(this.#store, runId, {
      quietMs,
      replyMs,
      // nothing else releases the reservation before the end of its lease
      onAbandoned: () => withTimeout(this.#budget.settle(subject, runId), STOP_MS).catch(() => {}),
    });
    return {
      runId,
      endSeq,
      events: (afterSeq) => run.events(afterSeq),
      send: (command) => this.#ask(() => run.send(command), Math.max(COMMAND_MS, 5 * replyMs)),
      stop: () => this.#ask(() => this.#store.send(runId, { type: 'stop' })),
      over: () => run.ended(AbortSignal.timeout(STOP_MS)).catch(() => {}),
    };
  }
}

/** How many tokens a run may use. */
function allowedTokens({ options }: RunRequest): number {
  return options?.limits?.tokens ?? Infinity;
}

function stoppedBySwitch(): SerializedError {
  return { code: 'interrupted', message: switchedOff };
}
