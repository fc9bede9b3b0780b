import { HttpError } from './respond.ts';

const MINUTE_MS = 60_000;
/** From this number of subjects on, idle subjects are removed. */
const MANY = 10_000;

/** Counts the requests of each subject, or each address. */
export type RequestCount = {
  /** Counts a request. Throws an {@link HttpError} with 429 if it is one too many. */
  count(subject: string): void;
  /** Throws the same if the next request would be one too many. Counts nothing. */
  check(subject: string): void;
};

/**
 * Creates a counter: `perMinute` requests at once, and as many in each following minute. It counts in this process
 * only, and protects the process and its store from floods. Budgets protect the bill.
 */
export function createRequestCount(perMinute: number): RequestCount {
  const interval = MINUTE_MS / perMinute;
  /** When each subject's requests would be finished at an even pace (GCRA): one number per subject. */
  const through = new Map<string, number>();
  let sweptAt = -Infinity;

  function forgetIdle(at: number): void {
    if (through.size < MANY || at < sweptAt + MINUTE_MS) return;
    sweptAt = at;
    for (const [subject, time] of through) if (time <= at) through.delete(subject);
  }

  /** Returns the time at which the subject's requests, with one more, no longer count. */
  function next(subject: string): number {
    const at = performance.now();
    const time = Math.max(through.get(subject) ?? at, at) + interval;
    const wait = time - at - MINUTE_MS;
    // a rounding error is not a request
    if (wait <= 1e-3) return time;
    throw new HttpError(
      'rate_limited',
      `You have sent more than ${perMinute} requests in a minute. Wait a little.`,
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
