import { answerHeaders, HttpError, isHttpError } from '../http/respond.ts';
import { chargeOf, noCharge } from '../limits/charge.ts';
import { worstInput } from '../limits/input-size.ts';
import { isUnbilled, isUnbilledStatus } from '../limits/is-unbilled.ts';
import { isSwitchedOff, onSwitchStop, switchedOff } from '../limits/kill-switch.ts';
import type { Settlement } from '../limits/limit-store.ts';
import { costOf, priceOf, worstCost, type ModelPrice } from '../limits/prices.ts';
import { settleCall } from '../limits/settle-call.ts';
import type { CheckedBody } from './api.ts';
import { callProvider, type CutOff, cutOffError, discardBody } from './call-provider.ts';
import type { ProxySettings } from './check-options.ts';
import { forwardEvents } from './forward-events.ts';
import { forwardHeaders } from './forward-headers.ts';
import { sizeOf, type Media } from './media.ts';
import { createMeter, type Meter } from './meter.ts';
import { forwardProviderError } from './provider-error.ts';
import { upstreamUrl, providerKey, requestHeaders, type Call } from './provider-request.ts';
import type { ProxyEvent } from './proxy-event.ts';
import { readCapped } from './read-capped.ts';
import { reserve, storeMs } from './reserve.ts';
import { startTimeout } from './timeouts.ts';

/**
 * Reserves the most that the call may cost, makes it, forwards the answer, and settles the real cost exactly once,
 * however the call ends.
 */
export async function makeCall(
  settings: ProxySettings,
  call: Call,
  checked: CheckedBody,
  media: Media,
): Promise<Response> {
  const { store, limits, timeouts, onEvent } = settings;
  const { provider, model } = call;
  // before the reservation, which nothing would settle if there is no key
  const key = providerKey(call, (error) => onEvent({ type: 'failed', error }));
  const body = JSON.stringify(checked.body);
  const { contextTokens = Infinity } = provider;
  const worst = {
    input: worstInput(sizeOf(body, media), model, contextTokens),
    output: checked.outputTokens,
  };
  const price = priceOf(settings.prices, provider.name, model);
  const id = crypto.randomUUID();
  const { subject, dailyTokens = limits.dailyTokens, dailyCost = limits.dailyCost } = call.identity;
  const { rpm, concurrent, totalDailyTokens, totalDailyCost } = limits;
  if (price === undefined && Math.min(dailyCost, totalDailyCost) < Infinity) {
    const error = new Error(`There is no price for ${provider.name}:${model}. Add it to prices.`);
    onEvent({ type: 'failed', error });
    throw new HttpError(
      'unavailable',
      'This server does not know the price of this model. Ask its operator to add it to prices.',
    );
  }
  await reserve(
    store,
    {
      subject,
      id,
      tokens: worst.input + worst.output,
      cost: price === undefined ? 0 : worstCost(price, worst),
      rpm,
      concurrent,
      dailyTokens,
      dailyCost,
      totalDailyTokens,
      totalDailyCost,
      // The time left for settling; a process that has ended settles nothing.
      leaseMs: Math.min(timeouts.totalMs, 86_400_000) + 60_000,
    },
    (error) => onEvent({ type: 'failed', error }),
  );
  const meter = createMeter(call.rule.api, key, checked);
  return new ReservedCall(settings, call, { id, worst, price }, key, meter).make(body);
}

/** What was reserved for a call. */
type CallReservation = {
  id: string;
  worst: { input: number; output: number };
  price: ModelPrice | undefined;
};

/** One call of a provider, from its reservation to its settlement. */
class ReservedCall {
  readonly #settings: ProxySettings;
  readonly #call: Call;
  readonly #reservation: CallReservation;
  /** The common fields of all events about this call. */
  readonly #about: { id: string; subject: string; provider: string; model: string };
  readonly #key: string;
  readonly #meter: Meter;
  readonly #controller = new AbortController();
  readonly #stopTimer;
  readonly #removeSwitchListener;
  readonly #onClientGone = (): void => this.#controller.abort('client' satisfies CutOff);
  #ttfbMs: number | undefined;
  /** True while the provider cannot have done any work for this call. */
  #isFree = true;
  /** True once the call is reported. One that is refused before that has no end. */
  #isReported = false;

  constructor(settings: ProxySettings, call: Call, reservation: CallReservation, key: string, meter: Meter) {
    this.#settings = settings;
    this.#call = call;
    this.#reservation = reservation;
    const { request, provider, model, identity } = call;
    this.#about = { id: reservation.id, subject: identity.subject, provider: provider.name, model };
    this.#key = key;
    this.#meter = meter;
    const end = (why: CutOff): void => this.#controller.abort(why);
    this.#stopTimer = startTimeout(settings.timeouts.totalMs, () => end('timeout'));
    this.#removeSwitchListener = onSwitchStop(settings.killSwitch, () => end('switch'));
    request.signal.addEventListener('abort', this.#onClientGone);
    if (request.signal.aborted) this.#onClientGone();
  }

  async make(body: string): Promise<Response> {
    try {
      const { killSwitch, onEvent } = this.#settings;
      // again, because the body and the reservation may have taken long, and the switch may not stop calls in progress
      if (await isSwitchedOff(killSwitch, (error) => onEvent({ type: 'failed', error }))) {
        throw new HttpError('unavailable', switchedOff);
      }
      const already = cutOffError(this.#controller.signal);
      if (already !== undefined) throw already;
      const { worst } = this.#reservation;
      this.#isReported = true;
      onEvent({ type: 'call', ...this.#about, reserved: worst.input + worst.output });
      return await this.#answer(await this.#send(body));
    } catch (error) {
      this.#controller.abort('client' satisfies CutOff);
      const httpError = isHttpError(error) ? error : undefined;
      // a connection that breaks before the answer may have carried the request
      const unsent = httpError?.code === 'upstream_unreachable' && isUnbilled(httpError.cause);
      this.#isFree ||= unsent || httpError?.code === 'upstream_redirect';
      await this.#settle(httpError?.status ?? 500, httpError?.code ?? 'internal', 0);
      throw error;
    }
  }

  async #send(body: string): Promise<Response> {
    const { now, timeouts } = this.#settings;
    const headers = requestHeaders(this.#call, this.#key);
    const url = upstreamUrl(this.#call);
    // A call without a response may still be running at the provider.
    this.#isFree = false;
    const response = await callProvider(this.#settings.fetch, {
      url,
      headers,
      body,
      ttfbMs: timeouts.ttfbMs,
      controller: this.#controller,
    });
    this.#ttfbMs = now() - this.#call.startedAt;
    this.#isFree = isUnbilledStatus(response.status);
    return response;
  }

  /** Forwards the provider's answer: an error, a stream of events or one JSON object. */
  async #answer(response: Response): Promise<Response> {
    const { limits, timeouts } = this.#settings;
    const { signal } = this.#controller;
    const reading = { signal, idleMs: timeouts.idleMs };
    const passed = { ...forwardHeaders(response.headers, this.#key), ...this.#call.headers };
    if (!response.ok) {
      const maxBytes = limits.errorBytes;
      const answer = await forwardProviderError(response, this.#key, { ...reading, maxBytes }, passed);
      await this.#settle(answer.status, 'upstream_error', 0);
      return answer;
    }
    const kind = (response.headers.get('content-type') ?? '').split(';')[0]?.trim().toLowerCase();
    if (kind === 'text/event-stream' && response.body !== null) {
      const events = forwardEvents(response.body, {
        ...limits,
        ...reading,
        look: this.#meter.mayConcern,
        onEvent: this.#meter.readEvent,
        onEnd: (end, bytes) => {
          if (end !== 'done') this.#controller.abort('client' satisfies CutOff);
          this.#isFree = false;
          return this.#settle(response.status, end, bytes);
        },
      });
      return new Response(events, {
        headers: { ...answerHeaders, ...passed, 'content-type': 'text/event-stream; charset=utf-8' },
      });
    }
    if (kind !== 'application/json') {
      discardBody(response);
      // a web page comes from a wrong address or the login of a network; anything else may be a model's answer
      this.#isFree = kind === 'text/html' || response.body === null;
      throw new HttpError(
        'upstream_content_type',
        'The provider answered neither with events nor with JSON. Ask the operator of this server to check its address.',
      );
    }
    const { text, bytes, end } = await readCapped(response.body, {
      ...reading,
      maxBytes: limits.responseBytes,
    });
    if (end !== 'done') throw cutOffError(signal) ?? incompleteAnswerError(end);
    const answer = this.#meter.readAnswer(text);
    this.#isFree = false;
    await this.#settle(200, 'done', bytes);
    return new Response(answer, {
      headers: { ...answerHeaders, ...passed, 'content-type': 'application/json' },
    });
  }

  /** Releases the reservation and charges what the call has cost. */
  async #settle(status: number, outcome: string, bytes: number): Promise<void> {
    const { now, onEvent } = this.#settings;
    const { id, worst, price } = this.#reservation;
    const { subject } = this.#about;
    this.#stopTimer();
    this.#call.request.signal.removeEventListener('abort', this.#onClientGone);
    this.#removeSwitchListener();
    // without a report, the reserved amount counts: the work may have been done
    const charge = this.#isFree ? noCharge : chargeOf(worst, this.#meter.used, this.#meter.seen);
    const cost = price === undefined ? undefined : costOf(price, charge);
    const tokens = charge.input + charge.output;
    const ended: ProxyEvent = {
      type: 'end',
      ...this.#about,
      status,
      outcome,
      ms: now() - this.#call.startedAt,
      ...(this.#ttfbMs === undefined ? {} : { ttfbMs: this.#ttfbMs }),
      bytes,
      tokens: { input: charge.input, output: charge.output, cachedInput: charge.cachedInput },
      basis: charge.basis,
      ...(cost === undefined ? {} : { cost }),
    };
    await this.#settleInStore({ subject, id, tokens, cost: cost ?? 0 }, (isSettled) => {
      const unsettled = { type: 'unsettled', id, subject, tokens } as const;
      if (!isSettled) onEvent(cost === undefined ? unsettled : { ...unsettled, cost });
      if (this.#isReported) onEvent(ended);
    });
  }

  /**
   * Settles in the store, and tries again while that fails. The promise resolves after the first failure, because the
   * caller must not wait for a store that is away.
   */
  #settleInStore(settlement: Settlement, onEnd: (isSettled: boolean) => void): Promise<void> {
    const { store, onEvent } = this.#settings;
    return new Promise((resolve) => {
      const onFailure = (error: unknown): void => {
        onEvent({ type: 'failed', error });
        resolve();
      };
      void settleCall(store, settlement, onFailure, storeMs).then(onEnd).then(resolve);
    });
  }
}

function incompleteAnswerError(end: 'too_large' | 'idle' | 'broken'): HttpError {
  if (end === 'idle')
    return new HttpError(
      'upstream_timeout',
      'The provider stopped sending in the middle of its answer. Try again.',
    );
  return end === 'too_large'
    ? new HttpError(
        'upstream_too_large',
        'The answer is larger than this server forwards. Ask for a shorter one.',
      )
    : new HttpError('upstream_broken', 'The provider stopped in the middle of its answer. Try again.');
}
