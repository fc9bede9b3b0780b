import { APICallError } from '@ai-sdk/provider';
import { anySignal } from '../base/any-signal.ts';
import { CuelineError } from '../base/errors.ts';
import { untilAborted } from '../base/until-aborted.ts';
import type { Connectivity } from './connectivity.ts';

/** Waits this long. Rejects with the signal's reason if the signal aborts. */
export type Sleep = (ms: number, signal: AbortSignal | undefined) => Promise<void>;

const FIRST_DELAY_MS = 500;
const MAX_DELAY_MS = 30_000;

/** How often a call is tried while the browser reports that it is offline, because the browser may be wrong. */
export const OFFLINE_PAUSE_MS = 30_000;

/** True for a failure that may be gone at the next attempt. `thrown` is the cause of the error. */
export function isTransient(error: CuelineError, thrown: unknown): boolean {
  const { statusCode, type, phase, limit } = error.details ?? {};
  switch (error.code) {
    case 'network':
      return !isLocalConnectionRefused(error, thrown);
    case 'overloaded':
      return true;
    case 'stream_truncated':
      // with as many tokens it would be cut off again
      return limit === undefined;
    case 'timeout':
      // a call that has used its time limit has used up that of its next attempt, too
      return phase === undefined;
    case 'rate_limited':
      // 402, Anthropic's 400, and OpenAI's code for it: the account has no credit
      return statusCode !== 402 && statusCode !== 400 && !isQuotaExhausted(thrown, 0);
    case 'bad_request':
      // 409 (conflict) and 425 (too early)
      return statusCode === 409 || statusCode === 425 || isUnreadableCall(thrown);
    case 'provider_error':
      if (typeof statusCode === 'number') return statusCode >= 500 || statusCode === 424;
      // the code of a 500 inside a stream
      return typeof type === 'string' && /server_error|api_error|internal/i.test(type);
    default:
      return false;
  }
}

/** True if a provider reports, in its own code, that the account's quota is exhausted. */
function isQuotaExhausted(thrown: unknown, depth: number): boolean {
  if (typeof thrown !== 'object' || thrown === null || depth > 4) return false;
  const { type, code, data, error, cause } = thrown as Record<string, unknown>;
  const isWord = [type, code].some(
    (word) => typeof word === 'string' && /insufficient_quota|billing|credit/i.test(word),
  );
  return isWord || [data, error, cause].some((inner) => isQuotaExhausted(inner, depth + 1));
}

/** True if Groq could not read the tool call that its model wrote, which it reports with status 400. */
function isUnreadableCall(thrown: unknown): boolean {
  const { message, responseBody } = (thrown ?? {}) as Record<string, unknown>;
  return [message, responseBody].some(
    (text) => typeof text === 'string' && /\b(?:tool_use_failed|failed_generation)\b/.test(text),
  );
}

/** True for a refused connection to this machine: nothing starts to listen there within seconds. */
function isLocalConnectionRefused({ details }: CuelineError, thrown: unknown): boolean {
  if (!APICallError.isInstance(thrown) || thrown.isRetryable) return false;
  // a browser does not give the reason; a server that listens may still reset connections
  return details?.['reason'] === undefined || details['reason'] === 'ECONNREFUSED';
}

/** Returns the milliseconds before the next attempt: 0.5 s, 1 s, 2 s …, each a quarter shorter or longer at random. */
export function retryDelay(attempt: number, random: () => number): number {
  return Math.min(FIRST_DELAY_MS * 2 ** (attempt - 1), MAX_DELAY_MS) * (0.75 + random() / 2);
}

/** Returns the error of the last of several attempts, with their number. */
export function withAttemptCount(error: CuelineError, attempts: number): CuelineError {
  if (attempts === 1) return error;
  return new CuelineError(error.code, `${error.message} (${attempts} attempts)`, {
    cause: error.cause,
    details: { ...error.details, attempts },
    source: error.source,
  });
}

export const sleepFor: Sleep = (ms, signal) => {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const slept = new Promise<void>((resolve) => (timer = setTimeout(resolve, ms)));
  return untilAborted(slept, signal).finally(() => clearTimeout(timer));
};

/** Waits until there is a network, and at most until the next attempt offline. */
export async function untilOnline(
  connectivity: Connectivity,
  sleep: Sleep,
  signal: AbortSignal | undefined,
): Promise<void> {
  const online = new AbortController();
  const unsubscribe = connectivity.subscribe(() => {
    if (connectivity.isOnline()) online.abort();
  });
  const either = anySignal(online.signal, signal);
  try {
    await untilAborted(sleep(OFFLINE_PAUSE_MS, either), either);
  } catch (error) {
    if (!online.signal.aborted) throw error;
  } finally {
    unsubscribe();
  }
}
