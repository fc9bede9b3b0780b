import { CuelineError, type LimitOptions, type SerializedError } from '@cueline/core';
import { withTimeout } from '../../base/with-timeout.ts';
import { HttpError } from '../../http/respond.ts';
import {
  checkAnswer,
  type Adjusted,
  type Amount,
  type Reservation,
  type Reserved,
} from '../../limits/limit-store.ts';
import { settleCall } from '../../limits/settle-call.ts';
import { runDefaults } from '../read-limits.ts';
import type { RouteSettings } from '../settings.ts';
import { leastOutput } from './output-lengths.ts';

/** A run, with the daily limits of its subject and of all subjects. */
export type BudgetedRun = Pick<
  Reservation,
  'dailyTokens' | 'dailyCost' | 'totalDailyTokens' | 'totalDailyCost' | 'epoch'
> & { subject: string; runId: string };

/** Why a run must not begin now. */
export type StartRefusal = {
  why: Exclude<Reserved, { ok: true }>['why'];
  /** Missing if it must not begin later, either. */
  retryAfterMs?: number;
  /** The message, if the budget is not simply used up. */
  message?: string;
};

/** The reservations of a route's runs. */
export type RunBudget = {
  /**
   * Makes a reservation for a run that must use `least` tokens, with the minimum of its first call. Returns why it
   * must not begin; throws an {@link HttpError} with 503.
   */
  reserve(run: BudgetedRun, least: number, allowed: number): Promise<StartRefusal | undefined>;
  /**
   * Reserves what the run may have used so far, and extends the lease if `leaseMs` is given.
   * @throws CuelineError `budget_exceeded` if not enough is left of the day
   */
  setAside(run: BudgetedRun, amount: Amount, leaseMs?: number): Promise<void>;
  /**
   * Keeps the reservation of an ended run, with what it used, while its tools still work. Releases the rest. Never
   * rejects.
   */
  hold(run: BudgetedRun, used: Amount): Promise<void>;
  /**
   * Ends a reservation with what was used; by default all that was reserved. With `epoch`, only if it has this one.
   * Never rejects: the lease ends by itself.
   */
  settle(subject: string, runId: string, used?: Amount, epoch?: number): Promise<void>;
};

/** How much longer than its run a reservation lasts, in milliseconds. A lease that is over counts for nothing. */
const SETTLE_MS = 60_000;
/** A refusal for no longer than this, in milliseconds, does not last until the next day. */
const MAX_HELD_MS = 60_000;
/** What every call reserves besides its input, see `limits/input-size.ts`. */
const UNSEEN_TOKENS = 1_000;

const unused: Amount = { tokens: 0, cost: 0 };

type BudgetSettings = Pick<
  RouteSettings,
  'limitStore' | 'report' | 'rpm' | 'concurrent' | 'runMs' | 'maxOutputTokens'
> & {
  /** How long a reservation lasts, if that is not as long as a run. */
  leaseMs?: number;
};

/** Creates a budget with the route's store. `ask` turns failures of the store into refusals. */
export function createRunBudget(
  { limitStore, report, rpm, concurrent, runMs, maxOutputTokens, ...more }: BudgetSettings,
  ask: <Value>(question: () => Promise<Value>) => Promise<Value>,
): RunBudget {
  // a run of the maximum duration still has to be settled
  const { leaseMs = runMs + SETTLE_MS } = more;

  async function settle(subject: string, id: string, used?: Amount, epoch?: number): Promise<void> {
    await settleCall(limitStore, { subject, id, epoch, ...used }, (error) =>
      report({ type: 'failed', error, runId: id }),
    );
  }

  async function tryFor(call: Reservation): Promise<Reserved> {
    const reservation = (async () => checkAnswer('reserve', await limitStore.reserve(call)))();
    try {
      return await ask(() => reservation);
    } catch (error) {
      // a late success, or one whose answer got lost, would keep a reservation for a run that never begins
      const { subject, id } = call;
      reservation
        .then(
          ({ ok }) => (ok ? settle(subject, id, unused) : undefined),
          () => limitStore.settle({ subject, id, ...unused }),
        )
        .catch(() => {});
      throw error;
    }
  }

  return {
    settle,
    async reserve({ runId, ...run }, least, allowed) {
      const { dailyTokens, totalDailyTokens = Infinity } = run;
      const tokens = least + UNSEEN_TOKENS + leastOutput(maxOutputTokens);
      const request = `Your request may take ${tokens} tokens with its answer, more than`;
      if (tokens > dailyTokens) {
        const message = `${request} the ${dailyTokens} that you may use in a whole day. Send less.`;
        return { why: 'budget', message };
      }
      if (tokens > totalDailyTokens) {
        return { why: 'total', message: `${request} this server may use in a whole day. Send less.` };
      }
      if (least > allowed) {
        const message = `Your request has about ${least} tokens, more than the ${allowed} that a run may use here. Send less.`;
        return { why: 'budget', message };
      }
      const reserved = await tryFor({ ...run, id: runId, tokens, rpm, concurrent, leaseMs });
      if (reserved.ok) return undefined;
      // with a limit of cost, the store does not say which of them refused
      const isOfTokens = reserved.why === 'budget' && isLimit(dailyTokens) && !isLimit(run.dailyCost);
      if (!isOfTokens) return reserved;
      const when = isSoon(reserved)
        ? 'Try again once your runs in progress have ended.'
        : 'Send less, or try again tomorrow.';
      return { ...reserved, message: `${request} is left of today's ${dailyTokens}. ${when}` };
    },
    async hold({ subject, runId, epoch }, used) {
      // what was used counts, even if it is more than was left of the day
      const held = { subject, epoch, ...used, id: runId, leaseMs, dailyTokens: Infinity };
      await withTimeout((async () => limitStore.adjust(held))()).catch((error: unknown) =>
        report({ type: 'failed', error, runId }),
      );
    },
    async setAside({ runId, ...run }, amount, leaseMs) {
      const adjustment = { ...run, ...amount, id: runId, leaseMs };
      const reservation = (async () => checkAnswer('adjust', await limitStore.adjust(adjustment)))();
      // without limits there is nothing to wait for
      if (!isLimited(run)) return void reservation.catch(() => {});
      let adjusted: Adjusted;
      try {
        adjusted = await ask(() => reservation);
      } catch (error) {
        throw new CuelineError(
          'storage_failed',
          'The limits cannot be checked at the moment, so no model is called. Try again in a while.',
          { cause: error },
        );
      }
      if (!adjusted.ok) throw reservationRefusedError(adjusted, amount, run);
    },
  };
}

function isLimited({
  dailyTokens,
  dailyCost,
  totalDailyTokens,
  totalDailyCost,
}: Omit<BudgetedRun, 'runId' | 'epoch'>): boolean {
  return [dailyTokens, dailyCost, totalDailyTokens, totalDailyCost].some(isLimit);
}

function isLimit(limit: number | undefined): boolean {
  return limit !== undefined && limit < Infinity;
}

/** True if only calls in progress hold what is missing of the day, which they release when they end. */
function isSoon({ retryAfterMs }: { retryAfterMs: number }): boolean {
  return retryAfterMs <= MAX_HELD_MS;
}

function reservationRefusedError(
  refused: Exclude<Adjusted, { ok: true }>,
  amount: Amount,
  run: Omit<BudgetedRun, 'runId'>,
): CuelineError {
  if (refused.why === 'ended') {
    return new CuelineError(
      'interrupted',
      'Another instance assumed that the server of this run had crashed. Start it again.',
    );
  }
  const [tokens, cost, whose] =
    refused.why === 'total'
      ? (['totalDailyTokens', 'totalDailyCost', "this server's limit"] as const)
      : (['dailyTokens', 'dailyCost', 'your limit'] as const);
  const { [tokens]: dayTokens = Infinity, [cost]: dayCost = Infinity } = run;
  const isTooMuch = amount.tokens > dayTokens || amount.cost > dayCost;
  // if both are limited, and neither alone is too low, the store does not say which of them refused
  const limit =
    amount.tokens <= dayTokens && (amount.cost > dayCost || dayTokens === Infinity) ? cost : tokens;
  const when = isSoon(refused) ? 'once other calls in progress have ended' : 'tomorrow';
  return new CuelineError(
    'budget_exceeded',
    isTooMuch
      ? `With its next model call, the run could use more than ${whose} for a whole day. Ask for less.`
      : `The next model call could use more than is left of ${whose} for today. Try again ${when}.`,
    { details: { limit } },
  );
}

/** An estimate of the minimum cost of an agent's call. */
const CALL_TOKENS = 250;

/**
 * Returns the limits of a run. The agents that one step calls all start at once, before their costs are known, so a
 * step may call no more of them than there are tokens for.
 */
export function limitsWithin(limits: LimitOptions | undefined): LimitOptions {
  const { tokens = Infinity } = limits ?? {};
  const { toolCallsPerStep = runDefaults.toolCallsPerStep } = limits ?? {};
  const most = Math.max(1, Math.floor(tokens / CALL_TOKENS));
  return { ...limits, toolCallsPerStep: Math.min(toolCallsPerStep, most) };
}

/** Returns the error that ends a run which has used its reservation. */
export function budgetUsedUpError(allowed: number): SerializedError {
  const message = `The run has used the ${allowed} tokens that it may use here.`;
  return { code: 'budget_exceeded', message, details: { limit: 'tokens', allowed } };
}

/** Returns the error that ends a run whose provider sends more than it was asked for. */
export function answerTooLongError(allowed: number): SerializedError {
  const message = `The model's answer is much longer than the ${allowed} tokens that it may have, so the run was ended. The operator of this server has to check whether the provider obeys the maximum length that is sent.`;
  return { code: 'budget_exceeded', message, details: { limit: 'maxOutputTokens', allowed } };
}

/** Returns the error that ends a run whose agents are about to exceed its reservation together. */
export function budgetTooSmallError(allowed: number): SerializedError {
  const message = `The simultaneous calls of its agents need more than the ${allowed} tokens that the run may use here.`;
  return { code: 'budget_exceeded', message, details: { limit: 'tokens', allowed } };
}

/** Returns the response for a run that must not begin now: 402, 429 or 503. */
export function startRefusedError(
  { why, retryAfterMs, message }: StartRefusal,
  { concurrent, rpm }: Pick<RouteSettings, 'concurrent' | 'rpm'>,
): HttpError {
  const retry = retryAfterMs === undefined ? {} : { retryAfterMs };
  switch (why) {
    case 'concurrent': {
      const message = `You already have ${concurrent} runs in progress. Wait until one has ended, or stop one: its slot is free once its tools have ended.`;
      return new HttpError('too_many_at_once', message, retry);
    }
    case 'rpm': {
      const message = `You have reached the limit of ${rpm} runs per minute. Wait a little, and start the run again.`;
      return new HttpError('rate_limited', message, retry);
    }
    case 'budget':
      return new HttpError(
        'budget_exceeded',
        message ??
          'Your limit for today is used up. Try again once your runs in progress have ended, or tomorrow.',
        retry,
      );
    case 'total':
      return new HttpError(
        'total_exceeded',
        message ??
          'This server has used up its limit for today. Try again once its calls in progress have ended, or tomorrow.',
        retry,
      );
    default:
      return new HttpError(
        'rate_limited',
        'The run cannot start now. Wait a little, and start it again.',
        retry,
      );
  }
}
