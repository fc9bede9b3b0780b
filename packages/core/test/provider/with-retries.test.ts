import { APICallError } from '@ai-sdk/provider';
import { CuelineError } from '@cueline/core';
import { describe, expect, test, vi } from 'vitest';
import { type RetrySettings } from '../../src/provider/with-retries.ts';
import {
  whole,
  refused,
  browserFailure,
  reset,
  reasoning,
  signature,
  fakeClock,
} from '../support/retries.ts';
import { finish, healed, provider, see, started, text, type Answer } from '../support/scripted-provider.ts';

/** Settings that write down what happens. */
function watched(settings: RetrySettings = {}) {
  const retried: unknown[] = [];
  const slept: number[] = [];
  return {
    retried,
    slept,
    settings: {
      random: () => 0.5,
      onRetry: ({ error, delayMs }) => retried.push([error.code, delayMs]),
      sleep: (ms) => (slept.push(ms), Promise.resolve()),
      ...settings,
    } satisfies RetrySettings,
  };
}

fakeClock();

describe('retries', () => {
  test.each<[string, Answer, string]>([
    ['a network error in a browser', { throws: browserFailure }, 'network'],
    ['408', { throws: refused(408) }, 'timeout'],
    ['429', { throws: refused(429) }, 'rate_limited'],
    ['500', { throws: refused(500) }, 'provider_error'],
    ['503', { throws: refused(503) }, 'overloaded'],
    ['529', { throws: refused(529) }, 'overloaded'],
    [
      'an overload inside the stream',
      [started, { type: 'error', error: { type: 'overloaded_error', message: 'Busy' } }],
      'overloaded',
    ],
    [
      'a server error inside the stream',
      [started, { type: 'error', error: { type: 'server_error', message: 'Oh' } }],
      'provider_error',
    ],
    [
      'a server error inside the stream that has a code',
      [started, { type: 'error', error: { code: 'server_error', message: 'Oh' } }],
      'provider_error',
    ],
    [
      'a status inside the stream',
      [started, { type: 'error', error: { code: 429, message: 'Slow down' } }],
      'rate_limited',
    ],
    [
      'a tool call of its model that Groq could not read',
      { throws: refused(400, {}, '{"error":{"message":"No.","code":"tool_use_failed"}}') },
      'bad_request',
    ],
    [
      'the same inside the stream',
      [
        started,
        {
          type: 'error',
          error: { type: 'invalid_request_error', message: "See 'failed_generation' for more details." },
        },
      ],
      'bad_request',
    ],
    ['an end before any part', [started], 'stream_truncated'],
    ['a reset before any part', [started, { type: 'ping' }, { breaks: reset }], 'stream_truncated'],
    [
      'a reset after a block began with nothing in it',
      [started, text('')[0]!, { breaks: reset }],
      'stream_truncated',
    ],
    [
      "an overload after a part that only the provider reads, as Anthropic's package begins its answers",
      [
        started,
        { type: 'custom', kind: 'anthropic.message_start' },
        { type: 'error', error: { type: 'overloaded_error', message: 'Busy' } },
      ],
      'overloaded',
    ],
    ['a reset after a signature', [started, reasoning[0]!, signature, { breaks: reset }], 'stream_truncated'],
    ['an empty answer that failed', [started, finish('error')], 'stream_truncated'],
  ])('are made twice after %s, after 0.5 s and 1 s', async (_what, failing, code) => {
    const healing = watched();
    const { model, calls } = provider([failing, failing, whole]);
    expect(await see(model, healing.settings)).toEqual({ parts: whole });
    expect(calls.length).toBe(3);
    expect(healing.retried).toEqual([
      [code, 500],
      [code, 1_000],
    ]);
    expect(healing.slept).toEqual([500, 1_000]);

    const failed = provider([failing]);
    const { parts, rejected, errored } = await see(failed.model, watched().settings);
    // a call that has used tokens ends in a stream, where they count
    expect(parts).toEqual(errored === undefined ? [] : [started]);
    const error = (rejected ?? errored) as Error;
    expect(error).toMatchObject({ code, details: { attempts: 3 } });
    expect(error.message).toMatch(/\(3 attempts\)$/);
    if ('throws' in failing) expect(error.cause).toBe(failing.throws);
    expect(failed.calls.length).toBe(3);
    for (const { abortSignal } of failed.calls) expect(abortSignal?.aborted).toBe(true);
  });

  test.each<[string, Answer, string]>([
    ['401', { throws: refused(401) }, 'auth'],
    ['400', { throws: refused(400, { 'retry-after': '120' }) }, 'bad_request'],
    ['402', { throws: refused(402) }, 'rate_limited'],
    ['an error of unknown kind', { throws: new Error('Oh.') }, 'provider_error'],
    [
      'a refused connection on this machine',
      {
        throws: new APICallError({
          message: 'No',
          url: 'http://localhost:1',
          requestBodyValues: {},
          isRetryable: false,
          cause: new CuelineError('network', 'No.', { details: { reason: 'ECONNREFUSED' } }),
        }),
      },
      'network',
    ],
    [
      'a timeout of the model’s own that counts all of its time',
      { throws: new CuelineError('timeout', 'No.', { details: { phase: 'call' } }) },
      'timeout',
    ],
  ])('are not made after %s', async (_what, failing, code) => {
    const { model, calls } = provider([failing, whole]);
    expect((await see(model)).rejected).toMatchObject({ code });
    expect(calls.length).toBe(1);
  });

  test('are made after a connection on this machine was reset', async () => {
    const cause = new CuelineError('network', 'No.', { details: { reason: 'ECONNRESET' } });
    const error = new APICallError({
      message: 'No',
      url: 'http://localhost:1',
      requestBodyValues: {},
      isRetryable: false,
      cause,
    });
    expect(await see(provider([{ throws: error }, whole]).model)).toEqual({ parts: whole });
  });

  test('have the configured number, and random waits', async () => {
    const none = provider([{ throws: refused(500) }]);
    expect((await see(none.model, { retries: 0 })).rejected).toMatchObject({ details: { statusCode: 500 } });
    expect(none.calls.length).toBe(1);
    const low = watched({ retries: 8, random: () => 0 });
    const high = watched({ retries: 8, random: () => 1 });
    for (const { settings } of [low, high]) await see(provider([{ throws: refused(500) }]).model, settings);
    expect(low.slept).toEqual([375, 750, 1_500, 3_000, 6_000, 12_000, 22_500, 22_500]);
    expect(high.slept).toEqual([625, 1_250, 2_500, 5_000, 10_000, 20_000, 37_500, 37_500]);
  });

  test('may be followed by a repaired answer if the call fails for good', async () => {
    const heal = vi.fn(() => true);
    expect(await see(provider([{ throws: refused(500) }]).model, { repair: heal })).toEqual({
      parts: [started, healed],
    });
    expect(heal).toHaveBeenCalledTimes(1);
  });

  test.each<[string, Record<string, string>, number]>([
    ['milliseconds', { 'retry-after-ms': '1234', 'retry-after': '9' }, 1_234],
    ['seconds', { 'Retry-After': '7' }, 7_000],
    ['no time at all', { 'retry-after': '0' }, 0],
    ['the longest wait', { 'retry-after': '30' }, 30_000],
    ['a date', { 'retry-after': 'Sun, 22 Nov 2026 12:00:20 GMT' }, 20_000],
    ['a date in the past', { 'retry-after': 'Sun, 22 Nov 2026 11:00:00 GMT' }, 0],
    ['nonsense', { 'retry-after': 'soon' }, 500],
    ['a negative number', { 'retry-after': '-5' }, 500],
    ['an empty one', { 'retry-after': '', 'retry-after-ms': ' ' }, 500],
  ])('wait as long as the server asks: %s', async (_what, headers, ms) => {
    const { settings, slept } = watched();
    expect(await see(provider([{ throws: refused(429, headers) }, whole]).model, settings)).toEqual({
      parts: whole,
    });
    expect(slept).toEqual([ms]);
  });

  test.each<[string, unknown]>([
    ['in the cause', new CuelineError('overloaded', 'No.', { cause: refused(503, { 'retry-after': '7' }) })],
    ['among the details', new CuelineError('rate_limited', 'No.', { details: { retryAfter: '7' } })],
    ['in the body', refused(429, {}, '{ "error": { "details": [{ "retryDelay": "7s" }] } }')],
  ])('find the requested wait %s of an error', async (_where, error) => {
    const { settings, slept } = watched();
    expect(await see(provider([{ throws: error }, whole]).model, settings)).toEqual({ parts: whole });
    expect(slept).toEqual([7_000]);
  });

  test.each<[string, number, Record<string, string>, string]>([
    ['a rate limit', 429, { 'retry-after': '120' }, '2026-11-22T12:02:00.000Z'],
    ['an overload', 503, { 'retry-after': 'Sun, 22 Nov 2026 13:00:00 GMT' }, '2026-11-22T13:00:00.000Z'],
    ['an invalid date', 429, { 'retry-after': '1e308' }, '+275760-09-13T00:00:00.000Z'],
  ])('are not made if the server asks for a longer wait: %s', async (_what, status, headers, retryAt) => {
    const { settings, slept, retried } = watched();
    const { model, calls } = provider([{ throws: refused(status, headers) }, whole]);
    const { rejected } = await see(model, settings);
    expect(rejected).toMatchObject({ code: 'rate_limited', details: { statusCode: status, retryAt } });
    expect([calls.length, slept, retried]).toEqual([1, [], []]);
  });

  test('wait for the network without counting', async () => {
    const network = { online: false, listeners: new Set<() => void>() };
    const connectivity = {
      isOnline: () => network.online,
      subscribe: (listener: () => void) => (
        network.listeners.add(listener),
        () => void network.listeners.delete(listener)
      ),
    };
    const retried: unknown[] = [];
    const { model, calls } = provider([
      { throws: browserFailure },
      { throws: browserFailure },
      { throws: refused(500) },
      whole,
    ]);
    const seeing = see(model, {
      retries: 1,
      random: () => 0.5,
      connectivity,
      sleep: (ms, signal) => (
        vi.isFakeTimers(),
        new Promise((resolve, reject) => {
          const timer = setTimeout(resolve, ms);
          signal?.addEventListener('abort', () => (clearTimeout(timer), reject(signal.reason as Error)));
        })
      ),
      onRetry: ({ error, delayMs }) => retried.push([error.code, delayMs]),
    });
    await vi.advanceTimersByTimeAsync(29_999);
    expect(calls.length).toBe(1);
    // a browser may be wrong about it, so that it is tried now and then
    await vi.advanceTimersByTimeAsync(1);
    expect(calls.length).toBe(2);
    // a notification without a change
    for (const listener of network.listeners) listener();
    await vi.advanceTimersByTimeAsync(10_000);
    expect(calls.length).toBe(2);
    network.online = true;
    for (const listener of network.listeners) listener();
    await vi.advanceTimersByTimeAsync(500);
    expect(await seeing).toEqual({ parts: whole });
    expect(network.listeners.size).toBe(0);
    expect(retried).toEqual([
      ['network', 30_000],
      ['network', 30_000],
      // the one try that counts
      ['provider_error', 500],
    ]);
  });

  test('ask the browser whether it is online', async () => {
    const target = new EventTarget();
    const navigator = { onLine: false };
    vi.stubGlobal('navigator', navigator);
    vi.stubGlobal('addEventListener', target.addEventListener.bind(target));
    vi.stubGlobal('removeEventListener', target.removeEventListener.bind(target));
    const { model, calls } = provider([{ throws: browserFailure }, whole]);
    const seeing = see(model, { retries: 0, sleep: () => new Promise(() => {}) });
    await vi.advanceTimersByTimeAsync(0);
    expect(calls.length).toBe(1);
    navigator.onLine = true;
    target.dispatchEvent(new Event('online'));
    expect(await seeing).toEqual({ parts: whole });
  });
});
