import type { Limits, SerializedError } from '@cueline/core';
import type { Reservation, Reserved } from '../limits.ts';
import { Refusal } from '../respond.ts';
import { withPatience } from './patience.ts';
import { runDefaults, type RouteSettings } from './settings.ts';

/** A run that wants to begin. */
export type Wish = {
  subject: string;
  runId: string;
  /** The most that it may use by its own limits. */
  tokens: number | undefined;
  /** What it must use: with less it does not begin. */
  least: number;
  /** What its subject may use in a day. */
  dailyTokens: number;
};

/** Why a run may not begin now. */
export type NotNow = {
  why: Exclude<Reserved, { ok: true }>['why'];
  /** Missing where it may not begin later, either. */
  retryAfterMs?: number;
  /** What to say about the budget, where it is not simply used up. */
  message?: string;
};

/** The places and the tokens of a route's subjects. */
export type RunBudget = {
  /** Takes a place, and sets tokens aside: as many as the run may use. Throws a {@link Refusal} with 503. */
  reserve(wish: Wish): Promise<{ tokens: number } | NotNow>;
  /** Gives a place back, with the tokens that were used. Never rejects: the lease ends by itself. */
  settle(subject: string, runId: string, tokens: number): Promise<void>;
};

/** How much longer than a run its place is held, in milliseconds: a lease that is over counts for nothing. */
const SETTLE_MS = 60_000;
/**
 * How often it is tried, for more than a minute: a store that was away meanwhile would hold a place, and all that was set
 * aside with it, until its lease is over.
 */
const SETTLE_TRIES = 10;
const LONGEST_PAUSE_MS = 15_000;

/** Counts with the route's store. `ask` turns its failures into a refusal. */
export function createRunBudget(
  { limitStore, report, rpm, concurrent, runMs }: RouteSettings,
  ask: <Value>(question: () => Promise<Value>) => Promise<Value>,
): RunBudget {
  async function settle(subject: string, id: string, tokens: number): Promise<void> {
    for (let failures = 0; ;) {
      try {
        return await withPatience((async () => limitStore.settle({ subject, id, tokens }))());
      } catch (error) {
        if (failures === 0) report({ type: 'failed', error, runId: id });
        failures += 1;
        if (failures === SETTLE_TRIES) return;
        await new Promise((resolve) => setTimeout(resolve, Math.min(250 * 2 ** failures, LONGEST_PAUSE_MS)));
      }
    }
  }

  async function tryFor(call: Reservation): Promise<Reserved> {
    const asked = (async () => limitStore.reserve(call))();
    try {
      return await ask(() => asked);
    } catch (error) {
      // one that succeeds later holds a place for a run that never began
      asked.then(({ ok }) => (ok ? settle(call.subject, call.id, 0) : undefined)).catch(() => {});
      throw error;
    }
  }

  return {
    settle,
    async reserve({ subject, runId, tokens: wished = Infinity, least, dailyTokens }) {
      if (least > dailyTokens) return { why: 'budget', message: tooMuchFor(least, dailyTokens) };
      if (least > wished) {
        const message = `What you send is about ${least} tokens, more than the ${wished} that a run may use here.`;
        return { why: 'budget', message };
      }
      let refused: NotNow | undefined;
      for (const tokens of sharesOf(wished, least, dailyTokens)) {
        const reserved = await tryFor({
          subject,
          id: runId,
          tokens: Number.isFinite(tokens) ? tokens : 0,
          rpm,
          concurrent,
          dailyTokens,
          // a run that takes as long as it may is still to be settled
          leaseMs: runMs + SETTLE_MS,
        });
        if (reserved.ok) return { tokens };
        refused = reserved;
        if (reserved.why !== 'budget') break;
        if (tokens === least) refused = { ...reserved, message: tooMuchFor(least, dailyTokens) };
      }
      return refused!;
    },
  };
}

function tooMuchFor(least: number, dailyTokens: number): string {
  return `What you send is about ${least} tokens, more than is left of today's ${dailyTokens}.`;
}

/** What a run may use at most, and what it begins with where so much is not left of the day: never less than it must use. */
function sharesOf(given: number, least: number, dailyTokens: number): Iterable<number> {
  if (dailyTokens === Infinity) return [given];
  const most = Math.min(Number.isFinite(given) ? given : dailyTokens / 4, dailyTokens);
  return new Set([1, 2, 4, 8].map((parts) => Math.max(1, least, Math.floor(most / parts))));
}

/** About what a call of an agent costs at least. */
const CALL_TOKENS = 250;

/**
 * The limits of a run that was given so many tokens. Agents that are called in one step are all asked at once, before
 * anything is known of what they cost, so a step may call no more of them than there are tokens for.
 */
export function within(limits: Partial<Limits> | undefined, tokens: number): Partial<Limits> {
  const { toolCallsPerStep = runDefaults.toolCallsPerStep } = limits ?? {};
  const most = Math.max(1, Math.floor(tokens / CALL_TOKENS));
  return { ...limits, tokens, toolCallsPerStep: Math.min(toolCallsPerStep, most) };
}

/** What ends a run that has used what was set aside for it. */
export function usedUp(allowed: number): SerializedError {
  const message = `The run has used the ${allowed} tokens that it may use here.`;
  return { code: 'budget_exceeded', message, details: { limit: 'tokens', allowed } };
}

/** What ends a run whose agents are about to ask for more at once than was set aside for it. */
export function tooMuchAtOnce(allowed: number): SerializedError {
  const message = `What its agents ask at once is more than the ${allowed} tokens that the run may use here.`;
  return { code: 'budget_exceeded', message, details: { limit: 'tokens', allowed } };
}

/** What is answered where a run may not begin now: 402 or 429. */
export function notNow(
  { why, retryAfterMs, message = 'The tokens of today are used up.' }: NotNow,
  { concurrent, rpm }: RouteSettings,
): Refusal {
  const retry = retryAfterMs === undefined ? {} : { retryAfterMs };
  switch (why) {
    case 'concurrent': {
      const message = `There may be ${concurrent} runs of yours at once. Wait until one has ended, or stop one.`;
      return new Refusal('too_many_at_once', message, retry);
    }
    case 'rpm': {
      const message = `There may be ${rpm} runs of yours a minute. Wait a little, and start it again.`;
      return new Refusal('rate_limited', message, retry);
    }
    case 'budget':
      return new Refusal('budget_exceeded', message, retry);
    default:
      return new Refusal('rate_limited', 'Not now. Wait a little, and start it again.', retry);
  }
}
