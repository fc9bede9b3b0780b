import { withTimeout } from '../base/with-timeout.ts';
import { HttpError } from '../http/respond.ts';
import { checkAnswer, type LimitStore, type Reserved } from '../limits/limit-store.ts';
import type { ShareLimits } from './share-store-options.ts';

/** Longer than reading a body and writing to a storage may take together. */
const LEASE_MS = 120_000;

/**
 * Does `work` if its subject may share now, and counts the bytes that it reports. Throws an {@link HttpError}:
 * 429, or 503 if the store of limits does not answer. `onFailure` gets that store's error.
 */
export async function countShare<Value>(
  store: LimitStore,
  { bodyBytes, rpm, concurrent, dailyBytes }: ShareLimits,
  caller: string,
  onFailure: (error: unknown) => void,
  work: (spend: (bytes: number) => void) => Promise<Value>,
): Promise<Value> {
  // an account of its own: one store may also count the calls of a proxy, in tokens
  const subject = `share:${caller}`;
  // and a group of its own, for the same reason
  const call = { subject, group: 'shares', id: crypto.randomUUID() };
  let bytes = 0;
  const settle = (): Promise<void> =>
    withTimeout((async () => store.settle({ ...call, tokens: bytes }))()).catch(() => {});
  const reservation = {
    ...call,
    tokens: bodyBytes,
    rpm,
    concurrent,
    dailyTokens: dailyBytes,
    leaseMs: LEASE_MS,
  };
  const asked = (async () => checkAnswer('reserve', await store.reserve(reservation)))();
  let reserved: Reserved;
  try {
    reserved = await withTimeout(asked);
  } catch (error) {
    onFailure(error);
    // a reservation that succeeds later would hold a slot for nothing
    void asked.then(settle, () => {});
    throw new HttpError('unavailable', 'The limits cannot be checked at the moment. Try again in a while.');
  }
  if (!reserved.ok) throw shareLimitError(reserved);
  try {
    return await work((spent) => (bytes = spent));
  } finally {
    // before the answer, because Workers stop what continues after it
    await settle();
  }
}

function shareLimitError({ why, retryAfterMs }: Extract<Reserved, { ok: false }>): HttpError {
  if (why === 'concurrent') {
    return new HttpError('too_many_at_once', 'You are sharing too much at once. Try again in a moment.', {
      retryAfterMs,
    });
  }
  const message =
    why === 'rpm'
      ? 'You have shared too much in the last minute. Wait a little.'
      : 'The limit of shares for today is reached. Try again in a while, or tomorrow.';
  return new HttpError('rate_limited', message, { retryAfterMs });
}
