import { checkNames } from '@cueline/core/server';
import { checkNumbers } from '../base/check-numbers.ts';
import { addAmounts, isCount, zeroAmount, subtract } from './amount.ts';
import type { Adjustment, Amount, LimitStore, Reserved } from './limit-store.ts';

/** Options of {@link createMemoryLimits}. */
export type MemoryLimitsOptions = {
  /** The clock, in milliseconds since 1970. */
  now?: (() => number) | undefined;
  /**
   * The maximum number of subjects; default 100,000. A further subject replaces one that has not called for long and
   * has used little. What that subject used still counts for the totals.
   */
  subjects?: number | undefined;
};

/** Every option. The compiler compares this list with the type. */
const optionNames: Record<keyof MemoryLimitsOptions, true> = { now: true, subjects: true };

type Lease = Amount & { until: number; group: string; epoch: number };

type Account = {
  day: number;
  /** The amount that this day's settled calls have used. */
  spent: Amount;
  /** The times at which the calls of the last minute began. */
  starts: number[];
  leases: Map<string, Lease>;
};

/** The totals of a group. */
type Total = {
  day: number;
  spent: Amount;
  /**
   * The reservations of calls in progress, by the day in which their leases end. Within that day it does not matter
   * whether a lease has ended, because its reservation then counts as spent.
   */
  reserved: Map<number, Amount>;
};

const minute = 60_000;
const dayMs = 86_400_000;
/** When to try again if calls in progress hold what a call needs, in milliseconds. */
const HELD_MS = 1_000;
/** How many of the longest idle subjects are compared when one must be removed. */
const CANDIDATES = 32;

/**
 * Creates limits in the memory of this process: for development, and for a server that is one process and may forget
 * its counts on a restart.
 * @throws CuelineError `invalid_options` for an unknown option, or a limit that is not a number of at least 1
 */
export function createMemoryLimits(options: MemoryLimitsOptions = {}): LimitStore {
  checkNames('createMemoryLimits', options, Object.keys(optionNames), 'invalid_options');
  checkNumbers('createMemoryLimits', { subjects: options.subjects });
  const accounts = new Accounts(options);
  return {
    reserve: async (call) => {
      const { subject, id, epoch = 0, tokens, cost = 0, group = 'calls' } = call;
      const { rpm, concurrent, continues, leaseMs } = call;
      const at = accounts.now();
      const account = accounts.accountOf(subject, at);
      const { leases, starts: begun } = account;
      const earlier = leases.get(id);
      if (earlier?.epoch === epoch) return { ok: true };
      if (earlier !== undefined && earlier.epoch < epoch) accounts.end(account, id, earlier, earlier, at);
      if (leases.has(id) || leases.size >= concurrent) {
        return { ok: false, why: 'concurrent', retryAfterMs: HELD_MS };
      }
      if (continues !== true && begun.length >= rpm) {
        return { ok: false, why: 'rpm', retryAfterMs: (begun[0] ?? at) + minute - at };
      }
      const lease = { tokens, cost, until: at + leaseMs, group, epoch };
      const answer = accounts.checkDay(account, lease, call, at);
      if (!answer.ok) return answer;
      if (continues !== true) begun.push(at);
      leases.set(id, lease);
      accounts.addReserved(lease, lease, at);
      return answer;
    },
    adjust: async (call) => {
      const { subject, id, epoch, tokens, cost = 0, leaseMs } = call;
      const at = accounts.now();
      const account = accounts.bySubject.get(subject);
      if (account !== undefined) accounts.bringUpToDate(account, at);
      const lease = account?.leases.get(id);
      if (account === undefined || lease === undefined || !hasEpoch(lease, epoch)) {
        return { ok: false, why: 'ended' };
      }
      const until = leaseMs === undefined ? lease.until : at + leaseMs;
      const adjusted = { ...lease, tokens, cost, until };
      const more = subtract(adjusted, lease);
      const isLess = isAmount(call) && more.tokens <= 0 && more.cost <= 0;
      const answer: Reserved = isLess ? { ok: true } : accounts.checkDay(account, more, call, at);
      if (!answer.ok) return answer;
      account.leases.set(id, adjusted);
      accounts.addReserved(lease, subtract(zeroAmount, lease), at);
      accounts.addReserved(adjusted, adjusted, at);
      return answer;
    },
    settle: async ({ subject, id, epoch, tokens, cost = 0 }) => {
      const at = accounts.now();
      const account = accounts.bySubject.get(subject);
      if (account === undefined) return;
      accounts.bringUpToDate(account, at);
      const lease = account.leases.get(id);
      if (lease === undefined || !hasEpoch(lease, epoch)) return;
      accounts.end(account, id, lease, isCount(tokens) && isCount(cost) ? { tokens, cost } : lease, at);
    },
  };
}

/** What each subject, and each group of all subjects, has used and reserved today. */
class Accounts {
  readonly now: NonNullable<MemoryLimitsOptions['now']>;
  readonly #subjects: NonNullable<MemoryLimitsOptions['subjects']>;
  /** In the order of their last calls. */
  readonly bySubject = new Map<string, Account>();
  readonly #totals = new Map<string, Total>();

  constructor({ now = Date.now, subjects = 100_000 }: MemoryLimitsOptions = {}) {
    this.now = now;
    this.#subjects = subjects;
  }

  /** Changes the reservations of a lease's group. */
  addReserved({ group, until }: Lease, more: Amount, at: number): void {
    const { reserved } = this.#totalOf(group, at);
    const day = dayOf(until);
    if (day >= dayOf(at)) reserved.set(day, addAmounts(reserved.get(day) ?? zeroAmount, more));
  }

  end(account: Account, id: string, lease: Lease, used: Amount, at: number): void {
    account.leases.delete(id);
    this.addReserved(lease, subtract(zeroAmount, lease), at);
    account.spent = addAmounts(account.spent, used);
    const total = this.#totalOf(lease.group, at);
    total.spent = addAmounts(total.spent, used);
  }

  /** Removes what is over: the minute, the day, and calls whose process is gone, with their whole reservations. */
  bringUpToDate(account: Account, at: number): void {
    const today = dayOf(at);
    if (account.day < today) account.spent = zeroAmount;
    account.day = today;
    // after the clock was set back, some are in the future
    account.starts = account.starts.filter((starts) => starts > at - minute && starts <= at);
    for (const [id, lease] of account.leases) {
      // it counts for the day in which it ended
      if (lease.until <= at)
        this.end(account, id, lease, dayOf(lease.until) === today ? lease : zeroAmount, at);
    }
  }

  accountOf(subject: string, at: number): Account {
    const known = this.bySubject.get(subject);
    if (known === undefined && this.bySubject.size >= this.#subjects) this.#makeRoom(at);
    const account = known ?? { day: dayOf(at), spent: zeroAmount, starts: [], leases: new Map() };
    this.bySubject.delete(subject);
    this.bySubject.set(subject, account);
    this.bringUpToDate(account, at);
    return account;
  }

  /** Checks that enough is left of the day, for the subject and for all together. */
  checkDay(account: Account, more: Amount, call: Adjustment, at: number): Reserved {
    const untilMidnight = (dayOf(at) + 1) * dayMs - at;
    if (!isAmount(call)) return { ok: false, why: 'budget', retryAfterMs: untilMidnight };
    const { dailyTokens, dailyCost, totalDailyTokens = Infinity, totalDailyCost } = call;
    const { tokens, cost = 0, group = 'calls' } = call;
    const fitsOwn = (used: Amount): boolean => fits(used, dailyTokens, dailyCost);
    const fitsTotal = (used: Amount): boolean => fits(used, totalDailyTokens, totalDailyCost);
    // reservations of calls in progress are released before the day is over
    const waitFor = (used: Amount, fitsIn: typeof fitsOwn): number =>
      fitsIn(addAmounts(used, { tokens, cost })) ? Math.min(HELD_MS, untilMidnight) : untilMidnight;
    const own = [...account.leases.values()].reduce(addAmounts, addAmounts(account.spent, more));
    if (!fitsOwn(own)) return { ok: false, why: 'budget', retryAfterMs: waitFor(account.spent, fitsOwn) };
    const { spent, reserved } = this.#totalOf(group, at);
    const all = [...reserved.values()].reduce(addAmounts, addAmounts(spent, more));
    if (fitsTotal(all)) return { ok: true };
    return { ok: false, why: 'total', retryAfterMs: waitFor(spent, fitsTotal) };
  }

  #totalOf(group: string, at: number): Total {
    const today = dayOf(at);
    const total = this.#totals.get(group) ?? { day: today, spent: zeroAmount, reserved: new Map() };
    this.#totals.set(group, total);
    if (total.day !== today) {
      // a clock that is set back over midnight makes no new day
      if (total.day < today) total.spent = zeroAmount;
      total.day = today;
      for (const day of total.reserved.keys()) if (day < today) total.reserved.delete(day);
    }
    return total;
  }

  /**
   * Removes a subject without calls in progress. Compares only a few, because an attacker may create subjects all the
   * time.
   */
  #makeRoom(at: number): void {
    let least: string | undefined;
    let leastUsed = Infinity;
    let compared = 0;
    for (const [subject, account] of this.bySubject) {
      this.bringUpToDate(account, at);
      if (account.leases.size > 0) continue;
      const used = account.spent.tokens + account.spent.cost;
      if (used < leastUsed) [least, leastUsed] = [subject, used];
      compared += 1;
      if (compared === CANDIDATES) break;
    }
    if (least === undefined)
      throw new Error(
        `createMemoryLimits keeps ${this.#subjects} subjects, and each of them has calls in progress. Raise \`subjects\`, or use createRedisLimits.`,
      );
    this.bySubject.delete(least);
  }
}

function hasEpoch(lease: Lease, epoch: number | undefined): boolean {
  return epoch === undefined || lease.epoch === epoch;
}

/** Written so that NaN is refused. */
function fits(used: Amount, tokens: number, cost = Infinity): boolean {
  return used.tokens <= tokens && used.cost <= cost;
}

function isAmount({ tokens, cost = 0 }: Pick<Adjustment, 'tokens' | 'cost'>): boolean {
  return isCount(tokens) && isCount(cost);
}

function dayOf(at: number): number {
  return Math.floor(at / dayMs);
}
