import { CuelineError, type EditReply, type RunCommand, type RunEvent } from '@cueline/core';
import { withTimeout } from '../../base/with-timeout.ts';
import { createCallSlots } from '../../http/call-slots.ts';
import type { Identity } from '../../http/identify.ts';
import { HttpError } from '../../http/respond.ts';
import { isSwitchedOff, switchedOff } from '../../limits/kill-switch.ts';
import { createCommandCheck } from '../check-command.ts';
import { guardBudget, LEASE_MS, startLease } from '../guard/guarded-step.ts';
import { unknownRunError } from '../read-query.ts';
import type { RouteSettings } from '../settings.ts';
import { leastTokens } from '../usage/least-tokens.ts';
import { limitsWithin, startRefusedError, type BudgetedRun } from '../usage/run-budget.ts';
import { createCommandBudget, type CommandBudget } from './command-budget.ts';
import type { DurableHost } from './durable-host.ts';
import type { ReachedRun, Runs, StartedRun, RouteStart } from './runs.ts';
import { shownEvents } from './shown-events.ts';
import { storedKey } from './start-key.ts';

/** How long to wait for a stopped run, in milliseconds. */
const STOP_MS = 2_000;
/** The commands of how many runs are counted: of those that got the latest ones. */
const COUNTED_RUNS = 10_000;
const unused = { tokens: 0, cost: 0 };

/** Creates the runs of a route whose runs happen on a durable host, with the protections of the route around them. */
export function createDurableRuns(settings: RouteSettings, host: DurableHost): Runs {
  return new DurableRuns(settings, host);
}

/** The runs in the store of a durable host. This instance keeps only how many bytes of commands it has sent them. */
class DurableRuns implements Runs {
  readonly #settings: RouteSettings;
  readonly #host: DurableHost;
  readonly #budget;
  readonly #commandBudgets = new Map<string, CommandBudget>();
  /** One command or reader of a subject at a time, because each reads the whole log of its run into memory. */
  readonly #inReadSlot = createCallSlots(1);

  constructor(settings: RouteSettings, host: DurableHost) {
    this.#settings = settings;
    this.#host = host;
    const { killSwitch } = settings.options;
    // the guard's limits are among the settings; without one, nothing but `rpm` is counted
    const concurrent = host.guard === undefined ? Infinity : settings.concurrent;
    this.#budget = guardBudget({ ...settings, killSwitch, concurrent }, (question) => this.#ask(question));
  }

  async reach(runId: string, subject: string): Promise<ReachedRun> {
    const run = await this.find(runId, subject);
    if (run === undefined) throw unknownRunError();
    return run;
  }

  async find(runId: string, subject: string): Promise<ReachedRun | undefined> {
    const found = await this.#ask(() => this.#host.find({ runId }));
    // a run without an owner was not started by a route
    return found?.owner?.subject === subject ? this.#reached(runId, subject, found.endSeq) : undefined;
  }

  async latest(chat: string, subject: string): Promise<ReachedRun | undefined> {
    const found = await this.#ask(() => this.#host.find({ subject, chat }));
    return found === undefined ? undefined : this.reach(found.runId, subject);
  }

  async begin({ start, identity, chat }: RouteStart): Promise<StartedRun> {
    const { subject } = identity;
    const { key: startKey, ...request } = start;
    const own = storedKey(request.definition.name, startKey, chat);
    const key = own === undefined ? undefined : JSON.stringify([subject, own]);
    const known = key === undefined ? undefined : await this.#ask(() => this.#host.find({ key }));
    if (known !== undefined) return this.#again(known.runId, subject);
    checkStart(start);
    if (this.#host.guard === undefined) checkIdentity(identity);
    await this.#checkSwitch();
    const limits = limitsWithin(request.options?.limits);
    const newId = `run-${crypto.randomUUID()}`;
    const reservation = { ...this.#dayLimits(identity), runId: startLease(newId) };
    const refused = await this.#budget.reserve(reservation, leastTokens(request), limits.tokens ?? Infinity);
    if (refused !== undefined) {
      // the same start may have come twice at once, and taken the last reservation
      const meanwhile = key === undefined ? undefined : await this.#ask(() => this.#host.find({ key }));
      if (meanwhile !== undefined) return this.#again(meanwhile.runId, subject);
      throw startRefusedError(refused, this.#settings);
    }
    const owner = { subject, chat: chat?.id, ...storedLimits(identity) };
    try {
      const begun = await this.#ask(() =>
        this.#host.begin({ ...request, key, options: { limits } }, owner, newId),
      );
      await this.#keepReservation(reservation, begun.isNew);
      return { ...(await this.reach(begun.runId, subject)), started: begun.isNew };
    } catch (error) {
      void this.#endReservation(reservation, newId);
      throw error;
    }
  }

  /** Returns a store's answer. If the store fails, nothing begins. */
  async #ask<Value>(question: () => Promise<Value>): Promise<Value> {
    try {
      return await withTimeout(question());
    } catch (error) {
      this.#settings.report({ type: 'failed', error });
      throw new HttpError(
        'unavailable',
        'Runs cannot be stored or found at the moment. Try again in a while.',
        { retryAfterMs: 1_000 },
      );
    }
  }

  #reached(runId: string, subject: string, endSeq: number | undefined): ReachedRun {
    const host = this.#host;
    return {
      runId,
      endSeq,
      events: (afterSeq) =>
        shownEvents(
          {
            // watching waits for a store that is unavailable, and throws for a run that is gone
            read: (signal) => this.#readWhole(runId, subject, signal).catch(() => undefined),
            watch: (after, signal) => host.watch(runId, after, signal),
          },
          afterSeq,
          this.#settings,
        ),
      send: (command) =>
        this.#inReadSlot(subject, undefined, () => this.#ask(() => this.#send(runId, subject, command))),
      stop: async () => void (await this.#ask(() => host.respond(runId, { type: 'stop' }))),
      over: () => this.#ended(runId).catch(() => {}),
    };
  }

  #readWhole(runId: string, subject: string, signal: AbortSignal): Promise<readonly RunEvent[] | undefined> {
    return this.#inReadSlot(subject, signal, async () => {
      const read = await withTimeout(this.#host.read(runId, -1));
      return read?.events;
    });
  }

  async #ended(runId: string): Promise<void> {
    for await (const { type } of this.#host.watch(runId, -1, AbortSignal.timeout(STOP_MS))) {
      if (type === 'run-end') return;
    }
  }

  async #send(runId: string, subject: string, command: RunCommand): Promise<EditReply> {
    const { events = [] } = (await this.#host.read(runId, -1)) ?? {};
    const [first] = events;
    const check = createCommandCheck({
      permissions: this.#settings.permissions,
      prompt: first?.type === 'run-start' ? (first.name ?? '') : '',
      subject,
      onFailure: (error) => this.#settings.report({ type: 'failed', error, runId }),
    });
    for (const event of events) check.see(event);
    const reason = await check.refusal(command);
    if (reason !== undefined) return { accepted: false, reason };
    return this.#commandBudgetOf(runId)(command) ?? this.#host.respond(runId, command);
  }

  #commandBudgetOf(runId: string): CommandBudget {
    const budget = this.#commandBudgets.get(runId) ?? createCommandBudget(this.#settings.commandBytes);
    this.#commandBudgets.delete(runId);
    this.#commandBudgets.set(runId, budget);
    for (const oldest of this.#commandBudgets.keys()) {
      if (this.#commandBudgets.size <= COUNTED_RUNS) break;
      this.#commandBudgets.delete(oldest);
    }
    return budget;
  }

  /** Returns a run that was started before, by a process that may have been killed before it woke a worker. */
  async #again(runId: string, subject: string): Promise<StartedRun> {
    const run = await this.reach(runId, subject);
    if (run.endSeq === undefined) await this.#ask(() => this.#host.wake(runId));
    return { ...run, started: false };
  }

  /** Keeps only the reservation of a new run: its worker reserves what each model call may use. */
  async #keepReservation(reservation: BudgetedRun, isNew: boolean): Promise<void> {
    if (isNew && this.#host.guard !== undefined) {
      return this.#budget.setAside(reservation, unused, LEASE_MS).catch(() => {
        // its worker has taken the reservation over already, or the lease ends by itself
      });
    }
    await this.#budget.settle(reservation.subject, reservation.runId, unused);
  }

  /** Ends the reservation of a start that failed, unless the run may be stored all the same, and begin later. */
  async #endReservation(reservation: BudgetedRun, newId: string): Promise<void> {
    const mayBegin = await this.#ask(() => this.#host.find({ runId: newId })).then(
      (found) => found !== undefined,
      () => true,
    );
    await this.#keepReservation(reservation, mayBegin);
  }

  /** Throws an {@link HttpError} with 503 while the kill switch is on. */
  async #checkSwitch(): Promise<void> {
    const isOff = await isSwitchedOff(this.#settings.options.killSwitch, (error) =>
      this.#settings.report({ type: 'failed', error }),
    );
    if (isOff) throw new HttpError('unavailable', switchedOff);
  }

  #dayLimits({ subject, ...own }: Identity): Omit<BudgetedRun, 'runId'> {
    const { dailyTokens, dailyCost, totalDailyTokens, totalDailyCost } = this.#settings;
    return { subject, dailyTokens, dailyCost, totalDailyTokens, totalDailyCost, ...own };
  }
}

/** Returns the subject's own daily limits as JSON, which has no infinity. */
function storedLimits({ dailyTokens, dailyCost }: Identity): {
  dailyTokens?: number | null | undefined;
  dailyCost?: number | null | undefined;
} {
  const stored = (limit: number | undefined): number | null | undefined =>
    limit === Infinity ? null : limit;
  return { dailyTokens: stored(dailyTokens), dailyCost: stored(dailyCost) };
}

/** @throws CuelineError `invalid_options` if `auth` sets a limit that no worker holds */
function checkIdentity({ dailyTokens, dailyCost }: Identity): void {
  if (dailyTokens === undefined && dailyCost === undefined) return;
  throw new CuelineError(
    'invalid_options',
    'createPromptRoute: auth returned dailyTokens or dailyCost, and the workers of these durable runs have no guard that counts. Pass one: createDurable({ guard: createRunGuard({ … }), … }).',
  );
}

/** @throws CuelineError `invalid_options` if `accept` returns what a worker could not create again */
function checkStart({ model, options = {} }: RouteStart['start']): void {
  const names = Object.keys(options).filter((name) => name !== 'limits');
  if (model !== undefined && typeof model !== 'string') names.push('model, as an object');
  if (names.length === 0) return;
  throw new CuelineError(
    'invalid_options',
    `createPromptRoute: accept returned ${names.join(', ')}, and a durable run stores only its limits and the name of its model. Set the rest in createDurable({ options }).`,
  );
}
