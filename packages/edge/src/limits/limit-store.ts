import { CuelineError } from '@cueline/core';
import { checkStore } from '../base/check-store.ts';

/** The amount that a call may use at most, or has used. */
export type Amount = {
  /** Input and output tokens. */
  tokens: number;
  /** In the currency of `prices`; 0 without prices. */
  cost: number;
};

/** Limits of one subject, or of all subjects together, in a day (UTC). `Infinity` is no limit. */
type DayLimits = {
  /** Tokens a day of this subject. */
  dailyTokens: number;
  /** Money a day of this subject, in the currency of `prices`. Default: no limit. */
  dailyCost?: number | undefined;
  /** Tokens a day of all subjects in the group together. Default: no limit. */
  totalDailyTokens?: number | undefined;
  /** Money a day of all subjects in the group together, in the currency of `prices`. Default: no limit. */
  totalDailyCost?: number | undefined;
};

/** Identifies a call. */
type CallName = {
  subject: string;
  /** The call's own id among those of its subject. */
  id: string;
  /** The subjects that share the totals. Default `calls`: every route and every proxy of a store. */
  group?: string | undefined;
  /**
   * How often the call was taken over by another process, so that one that was replaced changes nothing any more: a
   * higher epoch ends the reservation of a lower one. Default for a reservation: 0; otherwise: that of the call.
   */
  epoch?: number | undefined;
};

/** A new amount for a call in progress. */
export type Adjustment = CallName &
  DayLimits & {
    /** The maximum tokens of the whole call. */
    tokens: number;
    /** The maximum cost of the whole call, in the currency of `prices`. Default 0. */
    cost?: number | undefined;
    /** Extends the call's lease to this many milliseconds from now. Default: the lease stays. */
    leaseMs?: number | undefined;
  };

/** A new call, with the limits of its subject. */
export type Reservation = Adjustment & {
  /** Calls a minute of this subject. */
  rpm: number;
  /** Concurrent calls of this subject. */
  concurrent: number;
  /** True for a call that continues an earlier one: it is not counted as another one of this minute. */
  continues?: boolean | undefined;
  /** After this time, in milliseconds, a call that was not settled counts as ended, with its whole reservation. */
  leaseMs: number;
};

/** The end of a call. */
export type Settlement = CallName & {
  /** The tokens that it used. Default, and for anything but a number of at least 0: the whole reservation. */
  tokens?: number | undefined;
  /** Its cost; default 0. If tokens or cost are not a number of at least 0, both are the reservation. */
  cost?: number | undefined;
};

/**
 * A store's answer to a {@link Reservation}. `concurrent`: the subject has too many calls in progress, or this one
 * with a higher epoch. `budget`: too little is left of the subject's day. `total`: too little is left of the day of
 * all subjects together. If only calls in progress hold what is missing, `retryAfterMs` is short, because they
 * release it when they end.
 */
export type Reserved =
  | { ok: true }
  | { ok: false; why: 'rpm' | 'concurrent' | 'budget' | 'total'; retryAfterMs: number };

/** A store's answer to an {@link Adjustment}. `ended`: no such call is in progress, or with another epoch. */
export type Adjusted = Reserved | { ok: false; why: 'ended' };

/**
 * Counts calls, tokens and money, for each subject and for all together. Every instance of a server must use the same
 * store: counters in one process are not a budget for two. A store that throws refuses the call.
 */
export type LimitStore = {
  /**
   * Reserves the amount of a call before it is made, for its subject and for all together, or not at all. Repeating a
   * call's reservation does not count it again; with a higher epoch, what was reserved before counts in full first,
   * also if the new reservation is refused.
   */
  reserve(call: Reservation): Promise<Reserved>;
  /**
   * Changes the amount and the lease of a call in progress. If it is refused, the call keeps its amount. A lower
   * amount is never refused.
   */
  adjust(call: Adjustment): Promise<Adjusted>;
  /** Ends a call with the amount that it used. Does nothing for an unknown or settled call, or one of another epoch. */
  settle(call: Settlement): Promise<void>;
};

/**
 * Checks the limit store of an option.
 * @throws CuelineError `invalid_options` for what is no limit store, such as one of runs
 */
export function checkLimitStore(
  where: string,
  option: 'store' | 'limitStore',
  store: LimitStore | undefined,
): void {
  checkStore(
    `${where}: ${option}`,
    store,
    ['reserve', 'adjust', 'settle'],
    `${option}: createRedisLimits(client)`,
  );
}

/**
 * Returns what a limit store has answered.
 * @throws CuelineError `invalid_options` for what is no answer, which must permit no call
 */
export function checkAnswer<Answer extends Adjusted>(method: 'reserve' | 'adjust', answer: Answer): Answer {
  const { ok } = Object(answer) as { ok?: unknown };
  if (typeof ok === 'boolean') return answer;
  throw new CuelineError(
    'invalid_options',
    `${method} of the limit store returned ${JSON.stringify(answer)}. Return { ok: true }, or { ok: false, why, retryAfterMs }.`,
  );
}
