/** A call that wants to begin, with the limits that hold for its subject. */
export type Reservation = {
  subject: string;
  /** The call's own id, for {@link LimitStore.settle}. */
  id: string;
  /** The most that the call can cost. */
  tokens: number;
  /** Calls a minute. */
  rpm: number;
  /** Calls at once. */
  concurrent: number;
  /** Tokens a day (UTC). */
  dailyTokens: number;
  /** After how many ms the call counts as over and as dear as it could be, where nobody settles it. */
  leaseMs: number;
};

/** What a store answers to a {@link Reservation}. */
export type Reserved =
  | { ok: true }
  | { ok: false; why: 'rpm' | 'concurrent' | 'budget'; retryAfterMs: number };

/**
 * Counts calls and tokens by subject. Every instance of a server has to ask the same one: counters in one process
 * are no budget for two. A store that throws refuses the call.
 */
export type LimitStore = {
  /** Counts a call before it is made, all or nothing. */
  reserve(call: Reservation): Promise<Reserved>;
  /** Ends a call with what it did cost. Again, or for a call that is not known: does nothing. */
  settle(call: { subject: string; id: string; tokens: number }): Promise<void>;
};

/** Options of {@link createMemoryLimits}. */
export type MemoryLimitsOptions = {
  /** The clock, in ms since 1970. */
  now?: (() => number) | undefined;
  /** How many subjects are kept; default 100,000. Where all of them still count, a new one is refused. */
  subjects?: number | undefined;
};

type Account = {
  day: number;
  /** Tokens of settled calls of this day. */
  spent: number;
  /** When the calls of the last minute began. */
  begun: number[];
  leases: Map<string, { tokens: number; until: number }>;
};

const minute = 60_000;
const dayMs = 86_400_000;

/**
 * Limits in the memory of this process: for development, and for a server that is one process and may forget its
 * counts when it starts anew.
 */
export function createMemoryLimits({
  now = Date.now,
  subjects = 100_000,
}: MemoryLimitsOptions = {}): LimitStore {
  const accounts = new Map<string, Account>();
  let sweptAt = -Infinity;

  function accountOf(subject: string, at: number): Account {
    let account = accounts.get(subject);
    if (account === undefined) {
      // Not at each new subject: whoever makes them up would have all of them gone through each time.
      if (accounts.size >= subjects && at >= sweptAt + minute) {
        sweptAt = at;
        forgetIdle(accounts, at);
      }
      if (accounts.size >= subjects) throw new Error(`There are more than ${subjects} subjects today.`);
      account = { day: dayOf(at), spent: 0, begun: [], leases: new Map() };
      accounts.set(subject, account);
    }
    bringUpToDate(account, at);
    return account;
  }

  return {
    reserve: async ({ subject, id, tokens, rpm, concurrent, dailyTokens, leaseMs }) => {
      const at = now();
      const account = accountOf(subject, at);
      const { leases, begun } = account;
      if (leases.has(id)) return { ok: true };
      if (leases.size >= concurrent) return { ok: false, why: 'concurrent', retryAfterMs: 1_000 };
      if (begun.length >= rpm) {
        return { ok: false, why: 'rpm', retryAfterMs: (begun[0] ?? at) + minute - at };
      }
      // Written so that NaN anywhere refuses.
      if (!(account.spent + reservedOf(account) + tokens <= dailyTokens)) {
        return { ok: false, why: 'budget', retryAfterMs: (dayOf(at) + 1) * dayMs - at };
      }
      begun.push(at);
      leases.set(id, { tokens, until: at + leaseMs });
      return { ok: true };
    },
    settle: async ({ subject, id, tokens }) => {
      const account = accounts.get(subject);
      if (account === undefined) return;
      bringUpToDate(account, now());
      if (account.leases.delete(id)) account.spent += tokens;
    },
  };
}

/** Takes out what is over: the minute, the day, and calls whose process went away, at the full price. */
function bringUpToDate(account: Account, at: number): void {
  if (account.day !== dayOf(at)) {
    account.day = dayOf(at);
    account.spent = 0;
  }
  account.begun = account.begun.filter((begun) => begun > at - minute);
  for (const [id, { tokens, until }] of account.leases) {
    if (until > at) continue;
    account.leases.delete(id);
    account.spent += tokens;
  }
}

function forgetIdle(accounts: Map<string, Account>, at: number): void {
  for (const [subject, account] of accounts) {
    bringUpToDate(account, at);
    if (account.spent === 0 && account.begun.length === 0 && account.leases.size === 0) {
      accounts.delete(subject);
    }
  }
}

function reservedOf({ leases }: Account): number {
  let tokens = 0;
  for (const lease of leases.values()) tokens += lease.tokens;
  return tokens;
}

function dayOf(at: number): number {
  return Math.floor(at / dayMs);
}
