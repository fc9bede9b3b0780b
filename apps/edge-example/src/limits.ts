import { createRunGuard, type LimitStore, type RunGuard } from '@cueline/edge';

/** Tokens of all sessions together per day. A session is free, so the limit of each does not bound the bill. */
export const TOTAL_DAILY_TOKENS = 5_000_000;

/** Tokens of one session, and of all, per day. */
export const DAY_LIMITS = { dailyTokens: 1_000_000, totalDailyTokens: TOTAL_DAILY_TOKENS };

/** The most that each run may use. */
export const RUN_LIMITS = { steps: 40, tokens: 100_000 };

/** Creates the guard that holds stored runs within the same limits, in whichever process they go on. */
export function createGuard(limitStore: LimitStore): RunGuard {
  return createRunGuard({ limits: { ...DAY_LIMITS, runMs: 15 * 60_000 }, limitStore, onEvent: report });
}

/** Writes one line for each call, run and refusal, without any text of the conversation. */
export function report(event: object): void {
  console.log(
    JSON.stringify(event, (_name, value: unknown) => (value instanceof Error ? String(value) : value)),
  );
}
