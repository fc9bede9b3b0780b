import {
  inProcess,
  type EditReply,
  type RunCommand,
  type RunEvent,
  type SerializedError,
} from '@cueline/core';
import type { ModelSettings } from '@cueline/core/models';
import type { Identity } from '../../http/identify.ts';
import { isSwitchedOff, onSwitchStop, switchedOff } from '../../limits/kill-switch.ts';
import { Refusal } from '../../http/respond.ts';
import type { EventBatch, StoredRun } from '../../stores/run-log-store.ts';
import { hostRun, type HostedRun } from './host-run.ts';
import { leastTokens } from '../usage/least-tokens.ts';
import type { MemoryUser } from '../usage/memory-use.ts';
import { createOpenWork, type OpenWork } from './open-work.ts';
import { withTimeout } from './with-timeout.ts';
import { unknownRun } from '../read-query.ts';
import type { Start } from '../read-start.ts';
import { createRunBudget, startRefusedError, limitsWithin, type BudgetedRun } from '../usage/run-budget.ts';
import { followRemoteRun } from './remote-run.ts';
import { createRunMeter, type RunMeter } from '../usage/run-meter.ts';
import type { RouteSettings } from '../settings.ts';

/** A run, in whichever instance it happens. */
export type ReachedRun = {
  readonly runId: string;
  /** The number of its `run-end`, where it had ended when it was reached. */
  readonly endSeq: number | undefined;
  /** The events after `afterSeq`, past and to come. Returning from the iteration only stops watching. */
  events(afterSeq: number): AsyncIterable<EventBatch>;
  send(command: RunCommand): Promise<EditReply>;
  stop(): Promise<void>;
  /** Resolves once it has ended and its place is free for another, or after two seconds. Never rejects. */
  over(): Promise<void>;
};

/** A run, and whether it was begun by whoever asks, or before, with its key or in its place. */
export type StartedRun = ReachedRun & { begun: boolean };

export type StartRequest = {
  start: Start;
  identity: Identity;
  /** Where its models come from. */
  models: ModelSettings;
  /**
   * The conversation that it is a turn of, and the run of the turn before. After each run only one begins: where two are
   * asked for at once, on any instances, the second is given the first.
   */
  chat?: { id: string; after: string | undefined };
  waitUntil?: ((work: Promise<void>) => void) | undefined;
  /** What the run takes of the memory until its end. */
  user: MemoryUser;
};

/** What goes with a run that happens here. */
type Hosting = {
  prompt: string;
  meter: RunMeter;
  /** What its functions are at. */
  work: OpenWork;
  /** Lets go of the memory that it takes. */
  release(): void;
  stop: HostedRun['stop'];
};

/** The runs of a route: those that happen here, and those of every instance that shares its store. */
export type Runs = {
  /** Starts a run, or gives the one that was begun in its place. Throws a {@link Refusal}: 402, 429 or 503. */
  begin(beginning: StartRequest): Promise<StartedRun>;
  /** Throws a {@link Refusal} with 404 where there is none, or it is somebody else's. */
  reach(runId: string, subject: string): Promise<ReachedRun>;
  /** The same; undefined where there is none, or it is somebody else's. */
  find(runId: string, subject: string): Promise<ReachedRun | undefined>;
  /** The latest run of a conversation. */
  latest(chat: string, subject: string): Promise<ReachedRun | undefined>;
};

/** How long it may take to tell another instance something, and to find out that it has gone, in milliseconds. */
const COMMAND_MS = 20_000;
/** How long another instance may take to answer, in milliseconds. */
const REPLY_MS = 4_000;
/** How long a run that was stopped is waited for, in milliseconds. */
const STOP_MS = 2_000;
const MAX_TIMER_MS = 2 ** 31 - 1;
const unused = { tokens: 0, cost: 0 };

/** Begins without a run. */
export function createRuns(settings: RouteSettings): Runs {
  const { store, report, runMs, replayMs, quietMs } = settings;
  const here = new Map<string, HostedRun & { settled: Promise<void> }>();
  const budget = createRunBudget(settings, ask);

  /** What a store answers; where it does not, nothing begins. */
  async function ask<Value>(question: () => Promise<Value>, ms?: number): Promise<Value> {
    try {
      return await withTimeout(question(), ms);
    } catch (error) {
      report({ type: 'failed', error });
      throw new Refusal('unavailable', 'Runs cannot be kept or found at the moment. Try again in a while.', {
        retryAfterMs: 1_000,
      });
    }
  }

  /** Throws a {@link Refusal} with 503 where no calls are made at the moment. */
  async function checkSwitch(): Promise<void> {
    const isOff = await isSwitchedOff(settings.options.killSwitch, (error) =>
      report({ type: 'failed', error }),
    );
    if (isOff) throw new Refusal('unavailable', switchedOff);
  }

  /** A meter for the model calls of a run. */
  function meterFor(run: BudgetedRun, prompt: string, allowed: number, stop: HostedRun['stop']): RunMeter {
    const { subject, runId, dailyCost = Infinity, totalDailyCost = Infinity } = run;
    return createRunMeter({
      settings,
      needsPrices: Math.min(dailyCost, totalDailyCost) < Infinity,
      allowed,
      setAside: (amount) => budget.setAside(run, amount),
      async checkOpen() {
        try {
          await checkSwitch();
        } catch (error) {
          stop(stoppedBySwitch());
          throw error;
        }
      },
      stop,
      onCharge({ model, ms, charge, cost }) {
        const { input: inputTokens, output: outputTokens, cachedInput: cachedInputTokens, basis } = charge;
        const tokens = { inputTokens, outputTokens, cachedInputTokens };
        const about = { runId, subject, prompt, model, ms, ...tokens, basis };
        report({ type: 'model-call', ...about, ...(cost === undefined ? {} : { cost }) });
      },
    });
  }

  /**
   * Makes a run known, ends it where the switch says so, and gives its place back, with what it was charged, once its tools
   * have ended: a tool that does not listen to its signal goes on after its run, for at most `runMs` as far as is counted.
   */
  function account(
    run: BudgetedRun,
    { prompt, meter, work, release, stop }: Hosting,
  ): { add(event: RunEvent): void; settled: Promise<void> } {
    const { runId, subject } = run;
    const begun = performance.now();
    report({ type: 'run-start', runId, subject, prompt });
    const letGo = onSwitchStop(settings.options.killSwitch, () => stop(stoppedBySwitch()));
    let settle: (settled: Promise<void>) => void;
    const settled = new Promise<void>((resolve) => (settle = resolve));
    return {
      settled,
      add(event) {
        if (event.type !== 'run-end') return;
        letGo();
        meter.close();
        const { outcome, error } = event;
        const code = error === undefined ? {} : { code: error.code };
        const ms = Math.round(performance.now() - begun);
        report({ type: 'run-end', runId, subject, prompt, outcome, ...code, ms, ...meter.total() });
        settle(giveBack());
      },
    };

    async function giveBack(): Promise<void> {
      if (work.count > 0) {
        const held = budget.hold(run, meter.total());
        await work.over(runMs);
        // a store that is told of both at once may hear of them in another order
        await held;
      }
      release();
      await budget.settle(subject, runId, meter.total());
    }
  }

  /** What is written down can be read from the store by then; the rest can be read here only. */
  async function forgetLater({ runId, written }: HostedRun): Promise<void> {
    if (await written) {
      here.delete(runId);
      return;
    }
    const timer: unknown = setTimeout(() => here.delete(runId), Math.min(replayMs, MAX_TIMER_MS));
    (timer as { unref?: () => void }).unref?.();
  }

  function reachHere(run: HostedRun, settled: Promise<void>): ReachedRun {
    return {
      runId: run.runId,
      endSeq: run.shown.closed ? run.shown.length - 1 : undefined,
      events: (afterSeq) => run.shown.read(afterSeq + 1),
      send: (command) => run.send(command),
      stop: async () => run.stop(),
      over: () => withTimeout(settled, STOP_MS).catch(() => {}),
    };
  }

  function reachElsewhere(runId: string, { subject, endSeq }: StoredRun): ReachedRun {
    const run = followRemoteRun(store, runId, {
      quietMs,
      replyMs: Math.min(REPLY_MS, quietMs),
      // nobody else gives its place back before the lease is over
      onAbandoned: () => withTimeout(budget.settle(subject, runId), STOP_MS).catch(() => {}),
    });
    return {
      runId,
      endSeq,
      events: run.events,
      send: (command) => ask(() => run.send(command), COMMAND_MS),
      stop: () => ask(() => store.tell(runId, { type: 'stop' })),
      over: () => run.ended(AbortSignal.timeout(STOP_MS)).catch(() => {}),
    };
  }

  async function reach(runId: string, subject: string): Promise<ReachedRun> {
    const run = await find(runId, subject);
    if (run === undefined) throw unknownRun();
    return run;
  }

  async function find(runId: string, subject: string): Promise<ReachedRun | undefined> {
    const run = here.get(runId);
    const known = run ?? (await ask(() => store.get(runId)));
    if (known?.subject !== subject) return undefined;
    return run === undefined ? reachElsewhere(runId, known) : reachHere(run, run.settled);
  }

  return {
    reach,
    find,
    async latest(chat, subject) {
      const runId = await ask(() => store.find({ subject, chat }));
      return runId === undefined ? undefined : reach(runId, subject);
    },
    async begin({ start, identity, models, chat, waitUntil, user }) {
      const { subject, dailyTokens = settings.dailyTokens, dailyCost = settings.dailyCost } = identity;
      const { key: given, ...request } = start;
      const prompt = request.definition.name;
      const key = keyOf(prompt, given, chat);
      const begunBefore = async (id: string): Promise<StartedRun> => ({
        ...(await reach(id, subject)),
        begun: false,
      });
      const started = async (): Promise<StartedRun | undefined> => {
        const known = key === undefined ? undefined : await ask(() => store.find({ subject, key }));
        return known === undefined ? undefined : begunBefore(known);
      };
      const known = await started();
      if (known !== undefined) return known;
      // nobody can guess it: whoever knows it has been told
      const runId = `run-${crypto.randomUUID()}`;
      const { limits } = request.options ?? {};
      const { tokens: allowed = Infinity } = limits ?? {};
      const { totalDailyTokens, totalDailyCost } = settings;
      const budgeted = { subject, runId, dailyTokens, dailyCost, totalDailyTokens, totalDailyCost };
      await checkSwitch();
      const refused = await budget.reserve(budgeted, leastTokens(request), allowed);
      if (refused !== undefined) {
        // the same start may have come twice at once, and taken the last place
        const meanwhile = await started();
        if (meanwhile !== undefined) return meanwhile;
        throw startRefusedError(refused, settings);
      }
      let created;
      try {
        created = await ask(() => store.create({ runId, subject, key, chat: chat?.id, runMs, replayMs }));
      } catch (error) {
        // which may take a while, where that store is away as well
        void budget.settle(subject, runId, unused);
        throw error;
      }
      if (created !== 'created') {
        await budget.settle(subject, runId, unused);
        return begunBefore(created.runId);
      }
      const onFailure = (error: unknown): void => report({ type: 'failed', error, runId });
      const options = { ...request.options, limits: limitsWithin(limits) };
      const stop: HostedRun['stop'] = (error) => run.stop(error);
      const meter = meterFor(budgeted, prompt, allowed, stop);
      const work = createOpenWork();
      const executor = inProcess(
        { ...models, wrapModel: (model) => meter.wrap(model) },
        { onWork: (each) => work.add(each) },
      );
      const hosting = { prompt, meter, work, release: user.retain(), stop };
      const { add, settled } = account(budgeted, hosting);
      const run: HostedRun = hostRun({
        runId,
        subject,
        executor,
        request: { ...request, options },
        store,
        runMs,
        showErrors: settings.showErrors,
        showRequests: settings.showRequests,
        onEvent: add,
        permissions: settings.permissions,
        onFailure,
      });
      here.set(runId, { ...run, settled });
      const forgotten = forgetLater(run);
      try {
        waitUntil?.(settled.then(() => forgotten));
      } catch (error) {
        // it has begun, and is to be found by whoever asked for it
        onFailure(error);
      }
      return { ...reachHere(run, settled), begun: true };
    },
  };
}

function stoppedBySwitch(): SerializedError {
  return { code: 'interrupted', message: switchedOff };
}

/** Two prompts of one route may be started with the same key. */
function keyOf(prompt: string, given: string | undefined, chat: StartRequest['chat']): string | undefined {
  if (chat !== undefined) return JSON.stringify(['turn', chat.id, chat.after ?? null]);
  return given === undefined ? undefined : JSON.stringify([prompt, given]);
}
