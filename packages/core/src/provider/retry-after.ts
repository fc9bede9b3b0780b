import { CuelineError } from '../base/errors.ts';

/** The longest wait that a server may ask for, in milliseconds. */
export const MAX_RETRY_AFTER_MS = 30_000;

/** The last moment that a `Date` can represent. */
const END_OF_TIME = 8.64e15;

/**
 * Returns how long a failed server asks to wait, in milliseconds: its `retry-after-ms`, `retry-after` in seconds or as
 * a date, or Google's `retryDelay` in the body. Undefined if it names no wait, or if a browser may not read the header.
 */
export function retryAfterOf(error: unknown): number | undefined {
  for (let at = error, depth = 0; typeof at === 'object' && at !== null && depth < 5; depth += 1) {
    const { responseHeaders, responseBody, details, cause } = at as {
      responseHeaders?: unknown;
      responseBody?: unknown;
      details?: { retryAfter?: unknown };
      cause?: unknown;
    };
    const asked =
      fromHeaders(responseHeaders) ?? readRetryAfter(details?.retryAfter) ?? fromBody(responseBody);
    if (asked !== undefined) return asked;
    at = cause;
  }
  return undefined;
}

/** Returns the error of a call whose server asks for a longer wait than the maximum. */
export function retryAfterTooLongError(error: CuelineError, restMs: number): CuelineError {
  const retryAt = new Date(Math.min(Date.now() + restMs, END_OF_TIME)).toISOString();
  return new CuelineError(
    'rate_limited',
    `${error.message} The server asked for no more calls until ${retryAt}, so the call was not repeated. Continue after that.`,
    { cause: error, details: { ...error.details, retryAt } },
  );
}

function fromHeaders(headers: unknown): number | undefined {
  if (typeof headers !== 'object' || headers === null) return undefined;
  const named = new Map(
    Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value as unknown]),
  );
  return atLeastZero(named.get('retry-after-ms')) ?? readRetryAfter(named.get('retry-after'));
}

/** Reads Google's `RetryInfo`, such as `"retryDelay": "17.5s"`. */
function fromBody(body: unknown): number | undefined {
  const seconds = typeof body === 'string' ? /"retryDelay":\s*"([\d.]+)s"/.exec(body)?.[1] : undefined;
  return readRetryAfter(seconds);
}

/** Returns a `retry-after` header in ms, from seconds or a date. Undefined if it is neither. */
export function readRetryAfter(header: unknown): number | undefined {
  const seconds = atLeastZero(header);
  if (seconds !== undefined) return seconds * 1_000;
  // a number that is not a time would be read as a year
  if (typeof header !== 'string' || !/[a-z]/i.test(header)) return undefined;
  const until = Date.parse(header);
  return Number.isNaN(until) ? undefined : Math.max(0, until - Date.now());
}

function atLeastZero(header: unknown): number | undefined {
  if (typeof header !== 'number' && (typeof header !== 'string' || header.trim() === '')) return undefined;
  const number = Number(header);
  return Number.isFinite(number) && number >= 0 ? number : undefined;
}
