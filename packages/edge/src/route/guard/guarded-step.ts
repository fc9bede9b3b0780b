import { CuelineError, type RunEvent } from '@cueline/core';
import { unrefTimer, startTimer } from '../../base/timer.ts';
import { withTimeout } from '../../base/with-timeout.ts';
import { isSwitchedOff, onSwitchStop, switchedOff } from '../../limits/kill-switch.ts';
import { checkAnswer, type Amount } from '../../limits/limit-store.ts';
import type { OpenWork } from '../runs/open-work.ts';
import { createRunBudget, type BudgetedRun } from '../usage/run-budget.ts';
import { createRunMeter, type ChargedCall, type RunMeter } from '../usage/run-meter.ts';
import type { GuardSettings } from './guard-settings.ts';
import type { GuardedRun, GuardedStep } from './guarded-run.ts';
import { createLogUsage, tokensOf } from './log-usage.ts';

/**
 * How long a slot and a reservation last without a worker, in milliseconds. A step renews them; those of a worker
 * that was killed are settled by the next one, or end with this lease and count in full.
 */
export const LEASE_MS: number = 15 * 60_000;

const unused = { tokens: 0, cost: 0 };

/**
 * Returns the id of the reservation that a run has from its start until its first step. Its steps have another one,
 * under the id of the run, which belongs to the worker with the highest epoch: the one that has taken the run over
 * last.
 */
export function startLease(runId: string): string {
  return `${runId}/start`;
}

/** Returns the reservations of a guard's runs: of those that begin, and of those that go on. */
export function guardBudget(
  settings: GuardSettings & { rpm?: number },
  ask: <Value>(question: () => Promise<Value>) => Promise<Value>,
): ReturnType<typeof createRunBudget> {
  const { rpm = Infinity, report } = settings;
  return createRunBudget(
    {
      ...settings,
      rpm,
      leaseMs: LEASE_MS,
      report: (event) =>
        report(
          'runId' in event && event.runId !== undefined
            ? { ...event, runId: runOfLease(event.runId) }
            : event,
        ),
    },
    ask,
  );
}

function runOfLease(id: string): string {
  return id.replace(/\/start$/, '');
}

/**
 * Begins a step of a run: settles what earlier workers have left, and takes the run's slot. Rejects if the store
 * fails, or if a later worker has the slot. `settling` gets what continues after the step.
 */
export async function beginStep(
  settings: GuardSettings,
  run: GuardedRun,
  settling: OpenWork,
): Promise<GuardedStep> {
  const step = new Step(settings, run, settling);
  await step.reserve();
  step.watch();
  return step;
}

/** One step of one run, with its lease, its meter and its timers. */
class Step implements GuardedStep {
  readonly #settings: GuardSettings;
  readonly #run: GuardedRun;
  readonly #settling: OpenWork;
  /** Undefined for a run without a user, which no limits of users apply to. */
  readonly #budgeted: BudgetedRun | undefined;
  readonly #budget;
  readonly #meter: RunMeter;
  readonly #usage;
  #stopWatching: () => void = () => {};

  constructor(settings: GuardSettings, run: GuardedRun, settling: OpenWork) {
    this.#settings = settings;
    this.#run = run;
    this.#settling = settling;
    this.#budget = guardBudget(settings, (question) => withTimeout(question()));
    const { owner, runId, epoch } = run;
    this.#budgeted = owner === undefined ? undefined : { ...dayLimits(settings, owner), runId, epoch };
    this.#meter = this.#createMeter();
    this.#usage = createLogUsage(settings.prices);
    this.#usage.add(run.events);
  }

  /** Settles what earlier workers have left of this run, and takes its slot, with nothing reserved yet. */
  async reserve(): Promise<void> {
    if (this.#budgeted === undefined) return;
    const { subject, runId, epoch } = this.#budgeted;
    const { limitStore } = this.#settings;
    const unlimited = { dailyTokens: Infinity, rpm: Infinity, concurrent: Infinity };
    const taken = { subject, id: runId, epoch, ...unused, ...unlimited, continues: true, leaseMs: LEASE_MS };
    // what an earlier worker reserved for a call that was cut off counts in full, because the provider may bill it
    const reserved = await withTimeout(
      (async () => checkAnswer('reserve', await limitStore.reserve(taken)))(),
    );
    if (!reserved.ok) {
      const error = new Error(`Run ${runId} was taken over, so the limit store refused its step.`);
      this.#run.tryLater(error);
      throw error;
    }
    // the slot of its start; a run with events has begun, and this has happened
    if (this.#run.events.length > 0) return;
    await withTimeout((async () => limitStore.settle({ subject, id: startLease(runId), ...unused }))());
  }

  /** Watches the run's time, the kill switch and the lease until the step is over. */
  watch(): void {
    const { runMs, killSwitch } = this.#settings;
    const { activeMs, end } = this.#run;
    const timeout =
      runMs === Infinity
        ? undefined
        : startTimer(
            () => {
              const message = `The run took longer than the ${runMs / 1_000} s allowed here, so it was ended.`;
              end({ code: 'timeout', message, details: { ms: runMs } });
            },
            Math.max(0, runMs - activeMs),
          );
    const unsubscribe = onSwitchStop(killSwitch, () => end({ code: 'interrupted', message: switchedOff }));
    const renewal = unrefTimer(setInterval(() => void this.#meter.renew(), LEASE_MS / 3));
    this.#stopWatching = () => {
      clearTimeout(timeout);
      clearInterval(renewal);
      unsubscribe();
    };
  }

  wrapModel(model: Parameters<RunMeter['wrap']>[0]): ReturnType<RunMeter['wrap']> {
    return this.#meter.wrap(model);
  }

  stored(events: readonly RunEvent[]): void {
    this.#usage.add(events);
    const { runId, owner, prompt } = this.#run;
    if (owner === undefined) return;
    const about = { runId, subject: owner.subject, prompt };
    for (const event of events) {
      // an agent has a start and an end of its own
      if (event.type === 'run-start') this.#settings.report({ type: 'run-start', ...about });
      if (event.type !== 'run-end') continue;
      const { outcome, error, t: ms } = event;
      const code = error === undefined ? {} : { code: error.code };
      this.#settings.report({ type: 'run-end', ...about, outcome, ...code, ms, ...this.#usage.total() });
    }
  }

  async over(outcome: Parameters<GuardedStep['over']>[0]): Promise<void> {
    this.#stopWatching();
    this.#meter.close();
    if (this.#budgeted === undefined) return;
    const used = this.#meter.total();
    // a run that continues keeps its slot while it waits for a worker
    if (outcome === 'next' || outcome === 'failed') return this.#budget.hold(this.#budgeted, used);
    // while the store is away the worker does other work
    const { subject, runId, epoch } = this.#budgeted;
    this.#settling.add(this.#budget.settle(subject, runId, used, epoch));
  }

  #createMeter(): RunMeter {
    const { dailyCost = Infinity, totalDailyCost = Infinity } = this.#budgeted ?? {};
    return createRunMeter({
      settings: this.#settings,
      needsPrices: Math.min(dailyCost, totalDailyCost) < Infinity,
      allowed: this.#run.tokens ?? Infinity,
      usedBefore: tokensOf(this.#run.events),
      setAside: (amount) => this.#setAside(amount),
      keepAside: (amount) => this.#keepAside(amount),
      checkOpen: () => this.#checkSwitch(),
      stop: (error) => this.#run.end(error),
      onCharge: (call) => this.#reportCall(call),
    });
  }

  async #keepAside(amount: Amount): Promise<void> {
    if (this.#budgeted !== undefined) await this.#budget.setAside(this.#budgeted, amount, LEASE_MS);
  }

  async #setAside(amount: Amount): Promise<void> {
    try {
      await this.#keepAside(amount);
    } catch (error) {
      // the store is away, or another worker has settled this lease: the budget itself is not used up
      const isUsedUp = CuelineError.isInstance(error) && error.code === 'budget_exceeded';
      if (!isUsedUp) this.#run.tryLater(error);
      throw error;
    }
  }

  async #checkSwitch(): Promise<void> {
    const { killSwitch, report } = this.#settings;
    const { runId, end } = this.#run;
    if (!(await isSwitchedOff(killSwitch, (error) => report({ type: 'failed', error, runId })))) return;
    const error = { code: 'interrupted', message: switchedOff } as const;
    end(error);
    throw CuelineError.fromJSON(error);
  }

  #reportCall({ model, ms, charge, cost }: ChargedCall): void {
    const { runId, owner, prompt } = this.#run;
    if (owner === undefined) return;
    const { input: inputTokens, output: outputTokens, cachedInput: cachedInputTokens, basis } = charge;
    const tokens = { inputTokens, outputTokens, cachedInputTokens };
    const about = { runId, subject: owner.subject, prompt, model, ms, ...tokens, basis };
    this.#settings.report({ type: 'model-call', ...about, ...(cost === undefined ? {} : { cost }) });
  }
}

/** Settles what the worker that ended a run has left, if it was killed before it could. Rejects if the store fails. */
export async function settleEnded(
  { limitStore }: GuardSettings,
  { runId, owner }: Pick<GuardedRun, 'runId' | 'owner'>,
): Promise<void> {
  if (owner === undefined) return;
  const { subject } = owner;
  await withTimeout((async () => limitStore.settle({ subject, id: runId }))());
}

/** Returns the daily limits of a run's owner. */
function dayLimits(
  { dailyTokens, dailyCost, totalDailyTokens, totalDailyCost }: GuardSettings,
  owner: NonNullable<GuardedRun['owner']>,
): Omit<BudgetedRun, 'runId' | 'epoch'> {
  const own = (limit: number | null | undefined, general: number): number =>
    limit === null ? Infinity : (limit ?? general);
  return {
    subject: owner.subject,
    dailyTokens: own(owner.dailyTokens, dailyTokens),
    dailyCost: own(owner.dailyCost, dailyCost),
    totalDailyTokens,
    totalDailyCost,
  };
}
