/** What a call may use at most, or has used. */
export type Amount = {
  /** Tokens, read and written. */
  tokens: number;
  /** In the currency of `prices`; 0 where there are none. */
  cost: number;
};

/** What one subject, or all subjects together, may use in a day (UTC). `Infinity` is no limit. */
type DayLimits = {
  /** Tokens a day of this subject. */
  dailyTokens: number;
  /** Money a day of this subject, in the currency of `prices`. Default: no limit. */
  dailyCost?: number | undefined;
  /** Tokens a day of all subjects of the group together. Default: no limit. */
  totalDailyTokens?: number | undefined;
  /** Money a day of all subjects of the group together, in the currency of `prices`. Default: no limit. */
  totalDailyCost?: number | undefined;
};

/** Names a call. */
type CallName = {
  subject: string;
  /** The call's own id, among those of its subject. */
  id: string;
  /** The subjects that count together for the totals. Default `calls`: every route and every proxy of a store. */
  group?: string | undefined;
};

/** A call under way, whose amount is to change. */
export type Adjustment = CallName &
  DayLimits & {
    /** The most that the call can use, of all that it does. */
    tokens: number;
    /** The most that the call can cost, in the currency of `prices`. Default 0. */
    cost?: number | undefined;
    /** Makes the call's lease end so many milliseconds from now. Default: it ends when it would have. */
    leaseMs?: number | undefined;
  };

/** A call that wants to begin, with the limits that hold for its subject. */
export type Reservation = Adjustment & {
  /** Calls of this subject a minute. */
  rpm: number;
  /** Calls of this subject at once. */
  concurrent: number;
  /** After how many milliseconds a call that was not settled counts as over, with all that it has reserved. */
  leaseMs: number;
};

/** How a call ended. */
export type Settlement = CallName & {
  /** Tokens that it has used. All that it has reserved where this is left out, or is no number from 0 on. */
  tokens?: number | undefined;
  /** What it has cost; default 0. Where one of the two is no number from 0 on, both are what was reserved. */
  cost?: number | undefined;
};

/**
 * What a store answers to a {@link Reservation}. `budget` is refused because of what the subject has used of its day,
 * `total` because of what all subjects have used together.
 */
export type Reserved =
  | { ok: true }
  | { ok: false; why: 'rpm' | 'concurrent' | 'budget' | 'total'; retryAfterMs: number };

/** What a store answers to an {@link Adjustment}: `ended` where no such call is under way. */
export type Adjusted = Reserved | { ok: false; why: 'ended' };

/**
 * Counts calls, tokens and money, for each subject and for all together. Every instance of a server has to ask the same
 * store: counters in one process are no budget for two. A store that throws refuses the call.
 */
export type LimitStore = {
  /** Counts a call before it is made, for its subject and for all together, or not at all. The same call again is not counted again. */
  reserve(call: Reservation): Promise<Reserved>;
  /** Changes what a call under way has reserved, and how long. Where it is refused, the call keeps what it had. A lower amount is never refused. */
  adjust(call: Adjustment): Promise<Adjusted>;
  /** Ends a call with what it has used. Again, or for a call that is not known: does nothing. */
  settle(call: Settlement): Promise<void>;
};
