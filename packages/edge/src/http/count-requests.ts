import { Refusal } from './respond.ts';

const MINUTE_MS = 60_000;
/** From how many subjects on those are looked for that have not asked for a while. */
const MANY = 10_000;

/** How often each subject, or each address, has asked. */
export type RequestCount = {
  /** Counts a request. Throws a {@link Refusal} with 429 for one that is too many. */
  count(subject: string): void;
  /** Throws the same where the next request would be too many, and counts nothing. */
  check(subject: string): void;
};

/**
 * Counts requests: `perMinute` at once, and as many in each minute after. It is counted in this process alone, where it
 * keeps the process and its store from being asked to death; what costs money has its budget elsewhere.
 */
export function createRequestCount(perMinute: number): RequestCount {
  const interval = MINUTE_MS / perMinute;
  /** When all that each subject has asked would be through at an even pace (GCRA): one number, however often it asks. */
  const through = new Map<string, number>();
  let sweptAt = -Infinity;

  function forgetIdle(at: number): void {
    if (through.size < MANY || at < sweptAt + MINUTE_MS) return;
    sweptAt = at;
    for (const [subject, time] of through) if (time <= at) through.delete(subject);
  }

  /** When all of the subject's requests, with one more, would be through. */
  function next(subject: string): number {
    const at = performance.now();
    const time = Math.max(through.get(subject) ?? at, at) + interval;
    const wait = time - at - MINUTE_MS;
    // a rounding error is no request
    if (wait <= 1e-3) return time;
    throw new Refusal(
      'rate_limited',
      `There may be ${perMinute} requests of yours a minute. Wait a little.`,
      {
        retryAfterMs: wait,
      },
    );
  }

  return {
    count(subject) {
      forgetIdle(performance.now());
      through.set(subject, next(subject));
    },
    check: (subject) => void next(subject),
  };
}
