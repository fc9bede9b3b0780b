import { HttpError } from '../http/respond.ts';
import { checkAnswer, type LimitStore, type Reservation, type Reserved } from '../limits/limit-store.ts';
import { within } from './timeouts.ts';

/** How long a store may take to answer, in ms. */
export const storeMs = 5_000;

/**
 * Counts a call before it is made. Throws an HttpError: 429, 402, or 503 if the store does not answer, because a
 * call that cannot be counted must not be made. `onFailure` gets the store's error.
 */
export async function reserve(
  store: LimitStore,
  call: Reservation,
  onFailure: (error: unknown) => void,
): Promise<void> {
  let reserved: Reserved;
  const reservation = (async () => checkAnswer('reserve', await store.reserve(call)))();
  try {
    reserved = await within(reservation, storeMs);
  } catch (error) {
    onFailure(error);
    const { subject, id } = call;
    // a reservation that succeeds later, or whose answer got lost, would hold a slot for a call that is never made
    const release = (): Promise<void> => store.settle({ subject, id, tokens: 0 });
    void reservation.then(release, release).catch(() => {});
    throw new HttpError('unavailable', 'The limits cannot be checked at the moment. Try again in a while.');
  }
  if (reserved.ok) return;
  const { why, retryAfterMs } = reserved;
  if (why === 'budget') {
    const { tokens, cost = 0, dailyTokens, dailyCost = Infinity } = call;
    if (tokens > dailyTokens) {
      throw new HttpError(
        'budget_exceeded',
        `This call could use up to ${tokens} tokens, more than the ${dailyTokens} of a day. Ask for a shorter answer.`,
      );
    }
    if (cost > dailyCost) {
      throw new HttpError(
        'budget_exceeded',
        `This call could cost up to ${Number(cost.toPrecision(3))}, more than the ${dailyCost} of a day. Ask for a shorter answer.`,
      );
    }
    // with a limit of cost, the store does not say which of them refused
    const most = dailyCost === Infinity ? ` up to ${tokens} tokens,` : '';
    throw new HttpError(
      'budget_exceeded',
      `This call could use${most} more than you have left today. Ask for a shorter answer, or try again once your calls in progress have ended, or tomorrow.`,
      { retryAfterMs },
    );
  }
  if (why === 'total') {
    const { tokens, cost = 0, totalDailyTokens = Infinity, totalDailyCost = Infinity } = call;
    if (tokens > totalDailyTokens || cost > totalDailyCost) {
      throw new HttpError(
        'total_exceeded',
        'This call could use more than this server may use in a whole day. Ask for a shorter answer.',
      );
    }
    throw new HttpError(
      'total_exceeded',
      'This server has used up its limit for today. Try again once its calls in progress have ended, or tomorrow.',
      { retryAfterMs },
    );
  }
  if (why === 'concurrent') {
    throw new HttpError(
      'too_many_at_once',
      `You already have ${call.concurrent} calls in progress. Wait until one has ended.`,
      {
        retryAfterMs,
      },
    );
  }
  throw new HttpError('rate_limited', `You have made ${call.rpm} calls in the last minute. Wait a little.`, {
    retryAfterMs,
  });
}
