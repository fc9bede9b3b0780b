import { chargeOf, noCharge } from '../limits/charge.ts';
import { worstInput } from '../limits/input-size.ts';
import { onSwitchStop } from '../limits/kill-switch.ts';
import { costOf, priceOf, worstCost } from '../limits/prices.ts';
import { isUnbilledStatus } from '../limits/unbilled.ts';
import { answerHeaders, Refusal } from '../http/respond.ts';
import { after, within } from './after.ts';
import { callProvider, type CutOff, cutOffRefusal, discardBody } from './call-provider.ts';
import type { ProxySettings } from './check-options.ts';
import { sizeOf } from './media.ts';
import { createMeter } from './meter.ts';
import { forwardEvents } from './forward-events.ts';
import { forwardHeaders } from './forward-headers.ts';
import { forwardProviderError } from './provider-error.ts';
import { upstreamUrl, providerKey, requestHeaders, type Call } from './provider-request.ts';
import { readCapped } from './read-capped.ts';
import { reserve, storeMs } from './reserve.ts';

/**
 * Reserves the most that the call may cost, makes it, forwards the answer, and settles the real cost exactly once,
 * however the call ends.
 */
export async function makeCall(settings: ProxySettings, call: Call): Promise<Response> {
  const { store, limits, timeouts, now, onEvent } = settings;
  const { request, provider, rule, model, checked, startedAt } = call;
  const key = providerKey(call);
  const body = JSON.stringify(checked.body);
  const { contextTokens = Infinity } = provider;
  const worst = {
    input: worstInput(sizeOf(body, call.media), model, contextTokens),
    output: checked.outputTokens,
  };
  const price = priceOf(settings.prices, provider.name, model);
  const reserved = worst.input + worst.output;
  const id = crypto.randomUUID();
  const { subject, dailyTokens = limits.dailyTokens, dailyCost = limits.dailyCost } = call.identity;
  const { rpm, concurrent, totalDailyTokens, totalDailyCost } = limits;
  if (price === undefined && Math.min(dailyCost, totalDailyCost) < Infinity) {
    const error = new Error(`There is no price for ${provider.name}:${model}. Add it to prices.`);
    onEvent({ type: 'failed', error });
    throw new Refusal('unavailable', 'This server does not know the price of this model.');
  }
  await reserve(store, {
    subject,
    id,
    tokens: reserved,
    cost: price === undefined ? 0 : worstCost(price, worst),
    rpm,
    concurrent,
    dailyTokens,
    dailyCost,
    totalDailyTokens,
    totalDailyCost,
    // The time left for settling; a process that has ended settles nothing.
    leaseMs: Math.min(timeouts.totalMs, 86_400_000) + 60_000,
  });

  const about = { id, subject, provider: provider.name, model };
  const meter = createMeter(rule.api, key, checked);
  const controller = new AbortController();
  const { signal } = controller;
  const gone = (): void => controller.abort('client' satisfies CutOff);
  const stopTimer = after(timeouts.totalMs, () => controller.abort('timeout' satisfies CutOff));
  const letGo = onSwitchStop(settings.killSwitch, () => controller.abort('switch' satisfies CutOff));
  request.signal.addEventListener('abort', gone);
  if (request.signal.aborted) gone();
  let ttfbMs: number | undefined;

  async function settle(status: number, outcome: string, bytes: number, free: boolean): Promise<void> {
    stopTimer();
    request.signal.removeEventListener('abort', gone);
    letGo();
    // without a report, the reserved amount counts: the work may have been done
    const charge = free ? noCharge : chargeOf(worst, meter.used, meter.seen);
    const cost = price === undefined ? undefined : costOf(price, charge);
    const tokens = charge.input + charge.output;
    try {
      await within(store.settle({ subject, id, tokens, cost: cost ?? 0 }), storeMs);
    } catch {
      onEvent({ type: 'unsettled', id, subject, tokens, ...(cost === undefined ? {} : { cost }) });
    }
    onEvent({
      type: 'end',
      ...about,
      status,
      outcome,
      ms: now() - startedAt,
      ...(ttfbMs === undefined ? {} : { ttfbMs }),
      bytes,
      tokens: { input: charge.input, output: charge.output, cachedInput: charge.cachedInput },
      basis: charge.basis,
      ...(cost === undefined ? {} : { cost }),
    });
  }

  let free = true;
  try {
    const already = cutOffRefusal(signal);
    if (already !== undefined) throw already;
    onEvent({ type: 'call', ...about, reserved });
    const ours = { signal, idleMs: timeouts.idleMs };
    const headers = requestHeaders(call, key);
    const url = upstreamUrl(call);
    // A call that does not answer may be at work nevertheless.
    free = false;
    const response = await callProvider(settings.fetch, {
      url,
      headers,
      body,
      ttfbMs: timeouts.ttfbMs,
      controller,
    });
    ttfbMs = now() - startedAt;
    free = isUnbilledStatus(response.status);
    const passed = { ...forwardHeaders(response.headers, key), ...call.headers };
    if (!response.ok) {
      const maxBytes = limits.errorBytes;
      const answer = await forwardProviderError(response, key, { ...ours, maxBytes }, passed);
      await settle(answer.status, 'upstream_error', 0, free);
      return answer;
    }
    const kind = (response.headers.get('content-type') ?? '').split(';')[0]?.trim().toLowerCase();
    if (kind === 'text/event-stream' && response.body !== null) {
      const events = forwardEvents(response.body, {
        ...limits,
        ...ours,
        look: meter.look,
        onEvent: meter.readEvent,
        onEnd: (end, bytes) => {
          if (end !== 'done') controller.abort('client' satisfies CutOff);
          return settle(response.status, end, bytes, false);
        },
      });
      return new Response(events, {
        headers: { ...answerHeaders, ...passed, 'content-type': 'text/event-stream; charset=utf-8' },
      });
    }
    if (kind !== 'application/json') {
      discardBody(response);
      free = true;
      throw new Refusal(
        'upstream_content_type',
        'The provider answered with something that is not an answer.',
      );
    }
    const { text, bytes, end } = await readCapped(response.body, { ...ours, maxBytes: limits.responseBytes });
    if (end !== 'done') throw cutOffRefusal(signal) ?? unread(end);
    const answer = meter.readAnswer(text);
    await settle(200, 'done', bytes, false);
    return new Response(answer, {
      headers: { ...answerHeaders, ...passed, 'content-type': 'application/json' },
    });
  } catch (error) {
    controller.abort('client' satisfies CutOff);
    const refusal = error instanceof Refusal ? error : undefined;
    const unsent = refusal?.code === 'upstream_unreachable' || refusal?.code === 'upstream_redirect';
    await settle(refusal?.status ?? 500, refusal?.code ?? 'internal', 0, free || unsent);
    throw error;
  }
}

function unread(end: 'too_large' | 'idle' | 'broken'): Refusal {
  if (end === 'idle') return new Refusal('upstream_timeout', 'The provider fell silent in its answer.');
  return end === 'too_large'
    ? new Refusal('upstream_too_large', 'The answer is larger than this server forwards.')
    : new Refusal('upstream_broken', 'The provider broke off in the middle of its answer.');
}
