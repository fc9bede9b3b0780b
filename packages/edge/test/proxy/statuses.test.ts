import { describe, expect, test } from 'vitest';
import {
  ask,
  chatStream,
  createMemoryLimits,
  fixture,
  key,
  type ModelProxyOptions,
  origin,
  parts,
  refused,
  sse,
  chatBody,
} from './support.ts';

const json = (body: unknown, status = 200, headers: Record<string, string> = {}): Response =>
  Response.json(body, { status, headers });

describe('the status before anything is sent', () => {
  test('is 204 for a preflight, with the allowed headers', async () => {
    const { proxy, sent } = fixture();
    const preflight = { authorization: undefined, 'access-control-request-method': 'POST' };
    const response = await proxy(ask({ method: 'OPTIONS', headers: preflight }));
    expect([response.status, await response.text()]).toEqual([204, '']);
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'access-control-allow-origin': origin,
      'access-control-allow-credentials': 'true',
      'access-control-allow-methods': 'POST',
      'access-control-allow-headers':
        'authorization, content-type, user-agent, x-api-key, anthropic-version, anthropic-beta, anthropic-dangerous-direct-browser-access, x-goog-api-key',
      'access-control-max-age': '600',
      vary: 'origin',
    });
    expect(sent).toEqual([]);
  });

  test('is 204 for a preflight with a configured header, which is not forwarded', async () => {
    const { proxy, sent } = fixture(() => json({}), {
      requestHeaders: ['X-Session'],
      auth: (request) => (request.headers.get('x-session') === '1' ? { subject: 'ada' } : null),
    });
    const preflight = { authorization: undefined, 'access-control-request-method': 'POST' };
    const response = await proxy(ask({ method: 'OPTIONS', headers: preflight }));
    expect(response.headers.get('access-control-allow-headers')).toMatch(/, x-goog-api-key, x-session$/);
    expect((await proxy(ask({ headers: { authorization: undefined, 'x-session': '1' } }))).status).toBe(200);
    expect(Object.keys(sent[0]!.headers)).not.toContain('x-session');
  });

  test.each<[number, string, Parameters<typeof ask>[0]]>([
    [400, 'invalid_json', { body: '{"model":' }],
    [400, 'invalid_json', { body: '' }],
    [400, 'invalid_json', { body: new Uint8Array([0x22, 0xff, 0x22]) }],
    [400, 'invalid_body', { body: [] }],
    [400, 'invalid_body', { body: { messages: [] } }],
    [400, 'invalid_query', { path: '/openai/chat/completions?stream=1' }],
    [401, 'unauthorized', { headers: { authorization: 'Bearer eve' } }],
    [401, 'unauthorized', { headers: { authorization: undefined, origin: undefined } }],
    [403, 'origin_denied', { headers: { origin: 'https://evil.example' } }],
    [403, 'model_denied', { body: { ...chatBody, model: 'gpt-z' } }],
    [403, 'model_denied', { path: '/google/models/gemini-z:generateContent', body: {} }],
    [403, 'tool_denied', { body: { ...chatBody, tools: [{ type: 'web_search' }] } }],
    [404, 'unknown_provider', { path: '/groq/chat/completions' }],
    [404, 'unknown_path', { path: '/openai/embeddings' }],
    [404, 'unknown_path', { path: 'https://proxy.example/other' }],
    [405, 'method_not_allowed', { method: 'GET' }],
    [405, 'method_not_allowed', { method: 'PUT' }],
    [413, 'too_large', { body: { ...chatBody, user: 'x'.repeat(1 << 20) } }],
    [415, 'unsupported_media_type', { headers: { 'content-type': 'text/plain' } }],
    [415, 'unsupported_media_type', { headers: { 'content-encoding': 'gzip' } }],
  ])('%i %s', async (status, code, request) => {
    const { proxy, sent, store, events } = fixture();
    const response = await proxy(ask(request));
    expect(await refused(response.clone())).toEqual({ status, code });
    expect([sent, store]).toEqual([[], []]);
    expect(events).toMatchObject([{ type: 'refused', status, code }]);
    // only a page of an allowed origin can read the reason
    expect(response.headers.get('access-control-allow-origin')).toBe(
      code === 'origin_denied' ||
        request?.headers?.origin !== undefined ||
        'origin' in (request?.headers ?? {})
        ? null
        : origin,
    );
    expect(response.headers.get('allow')).toBe(status === 405 ? 'POST, OPTIONS' : null);
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'cache-control': 'no-store, no-transform',
      'x-content-type-options': 'nosniff',
      'x-accel-buffering': 'no',
    });
  });

  test('is 402 if the worst case exceeds the remaining budget, until midnight', async () => {
    const now = (): number => Date.UTC(2026, 0, 1, 23, 59);
    const store = createMemoryLimits({ now });
    const used = { subject: 'ada', id: 'earlier', tokens: 3_000 };
    await store.reserve({ ...used, rpm: 9, concurrent: 9, dailyTokens: 8_000, leaseMs: 1_000 });
    await store.settle(used);
    const { proxy, sent } = fixture(undefined, { limits: { dailyTokens: 8_000 }, now, store });
    const response = await proxy(ask());
    expect([response.headers.get('retry-after'), sent]).toEqual(['60', []]);
    expect(await refused(response)).toEqual({ status: 402, code: 'budget_exceeded' });
  });

  test("is 402 for the subject's own budget", async () => {
    const { proxy } = fixture(undefined, { auth: () => ({ subject: 'ada', dailyTokens: 10 }) });
    const response = await proxy(ask());
    // no other day has more
    expect(response.headers.get('retry-after')).toBeNull();
    expect(await refused(response)).toEqual({ status: 402, code: 'budget_exceeded' });
  });

  test('is 429 for too many calls a minute or at once', async () => {
    const { proxy } = fixture(() => new Response(parts([], 'hang'), sse), {
      limits: { rpm: 2, concurrent: 1 },
    });
    const first = await proxy(ask());
    const second = await proxy(ask());
    expect(second.headers.get('retry-after')).toBe('1');
    expect(await refused(second)).toEqual({ status: 429, code: 'too_many_at_once' });
    await first.body!.cancel();
    await (await proxy(ask())).body!.cancel();
    const third = await proxy(ask());
    expect(Number(third.headers.get('retry-after-ms'))).toBeGreaterThan(50_000);
    expect(await refused(third)).toEqual({ status: 429, code: 'rate_limited' });
  });

  test.each<[string, Partial<ModelProxyOptions>]>([
    [
      'the store of limits is down',
      {
        store: {
          ...createMemoryLimits(),
          reserve: () => Promise.reject(new Error(key)),
        },
      },
    ],
    ['auth throws', { auth: () => Promise.reject(new Error(key)) }],
    ['there is no key', { providers: { openai: { apiKey: () => undefined, models: ['gpt-x'] } } }],
    ['the key is too short', { providers: { openai: { apiKey: () => ' none12 ', models: ['gpt-x'] } } }],
    [
      'the key is not a valid header',
      { providers: { openai: { apiKey: `${key}\nx: y`, models: ['gpt-x'] } } },
    ],
    [
      'the function for the key throws',
      {
        providers: {
          openai: {
            apiKey: () => {
              throw new Error(key);
            },
            models: ['gpt-x'],
          },
        },
      },
    ],
  ])('is 503 if %s', async (_, options) => {
    const { proxy, sent, events } = fixture(undefined, options);
    const response = await proxy(ask());
    const text = await response.clone().text();
    expect(await refused(response)).toEqual({ status: 503, code: 'unavailable' });
    expect(text + JSON.stringify(events)).not.toContain(key);
    expect(sent).toEqual([]);
    // a refused call takes no place, and nothing of the day
    for (let more = 0; more < 4; more += 1)
      expect(await refused(proxy(ask()))).toEqual({ status: 503, code: 'unavailable' });
  });

  test('is reported with the error of a store of limits that fails', async () => {
    const store = { ...createMemoryLimits(), reserve: () => Promise.reject(new Error('down')) };
    const { proxy, events } = fixture(undefined, { store });
    expect(await refused(proxy(ask()))).toEqual({ status: 503, code: 'unavailable' });
    expect(events[0]).toEqual({ type: 'failed', error: new Error('down') });
  });

  test('is 499 if the caller has already disconnected', async () => {
    const { proxy, sent, store } = fixture();
    const answer = proxy(ask({ signal: AbortSignal.abort() }));
    expect((await refused(answer)).status).toBeGreaterThanOrEqual(400);
    expect(sent).toEqual([]);
    expect(store.filter((call) => call.startsWith('reserve'))).toHaveLength(
      store.filter((call) => call === 'settle 0').length,
    );
  });
});

describe('responses of the provider', () => {
  const failed = (message: string, status: number): Response => json({ error: { message } }, status);
  const typed = (type: string): Response => new Response('{', { headers: { 'content-type': type } });
  const redirect = { status: 307, headers: { location: 'https://evil.example' } };

  test.each<[string, number, string, () => Response | Promise<Response>]>([
    [
      'the provider is unreachable',
      502,
      'upstream_unreachable',
      () => Promise.reject(new TypeError(key, { cause: { code: 'ECONNREFUSED' } })),
    ],
    ['a redirect', 502, 'upstream_redirect', () => new Response(null, redirect)],
    ['a web page', 502, 'upstream_content_type', () => typed('text/html')],
    ['a status for caches', 502, 'upstream_malformed', () => new Response(null, { status: 304 })],
    ['nothing', 502, 'upstream_content_type', () => new Response(null, { status: 204 })],
    ['invalid JSON', 502, 'upstream_malformed', () => typed('application/json')],
    ['401', 502, 'upstream_auth', () => failed(`bad key ${key}`, 401)],
    ['402', 502, 'upstream_unpaid', () => failed('pay', 402)],
    ['403', 502, 'upstream_denied', () => failed(`bad key ${key}`, 403)],
    ['400 for a wrong key', 502, 'upstream_auth', () => failed('API key not valid.', 400)],
    [
      '400',
      400,
      'context_length_exceeded',
      () => json({ error: { message: `too long for ${key}`, code: 'context_length_exceeded' } }, 400),
    ],
    ['404', 404, 'upstream_error', () => failed('no such model', 404)],
    ['429', 429, 'upstream_error', () => failed('slow down', 429)],
    ['503', 503, 'upstream_error', () => failed('Unavailable', 503)],
    ['529', 529, 'upstream_error', () => failed('Overloaded', 529)],
  ])('%s: %i %s', async (_, status, code, upstream) => {
    const { proxy, sent, store, events } = fixture(upstream);
    const response = await proxy(ask());
    const text = await response.clone().text();
    expect(await refused(response)).toEqual({ status, code });
    expect(sent).toHaveLength(1);
    // what was reserved is given back where no model was at work
    expect(store).toEqual([expect.stringMatching(/^reserve \d{4}$/), expect.stringMatching(/^settle \d+$/)]);
    expect(store[1]).toBe(
      code === 'upstream_malformed' ? store[0]!.replace('reserve', 'settle') : 'settle 0',
    );
    expect(events.map(({ type }) => type)).toEqual(['call', 'end']);
    expect(text + JSON.stringify([...response.headers]) + JSON.stringify(events)).not.toContain(key);
  });

  test.each([408, 499, 500, 502, 504, 524])(
    '%i costs the reservation, because the provider may have generated an answer',
    async (status) => {
      const { proxy, store, events } = fixture(() => failed('oops', status));
      expect(await refused(proxy(ask()))).toEqual({ status, code: 'upstream_error' });
      expect(store).toEqual([
        expect.stringMatching(/^reserve \d{4}$/),
        store[0]!.replace('reserve', 'settle'),
      ]);
      expect(events[1]).toMatchObject({ outcome: 'upstream_error', basis: 'reserved' });
    },
  );

  test.each(['ECONNRESET', 'UND_ERR_SOCKET', undefined])(
    'a connection that breaks before the answer costs the reservation: %s',
    async (code) => {
      const { proxy, store, events } = fixture(() => Promise.reject(new TypeError(key, { cause: { code } })));
      expect(await refused(proxy(ask()))).toEqual({ status: 502, code: 'upstream_unreachable' });
      expect(store[1]).toBe(store[0]!.replace('reserve', 'settle'));
      expect(events[1]).toMatchObject({ outcome: 'upstream_unreachable', basis: 'reserved' });
      expect(JSON.stringify(events)).not.toContain(key);
    },
  );

  test('error texts of a provider are passed on without keys and accounts', async () => {
    const message = `Rate limit for gpt-x in organization org-Abc123Def456 on ${key} and sk-proj-zzz***zzz`;
    const { proxy } = fixture(() =>
      json({ error: { message, type: 'tokens', code: 'rate_limit_exceeded' } }, 429, {
        'retry-after': '7',
        'retry-after-ms': '6500',
        'x-ratelimit-remaining-requests': '0',
        'set-cookie': 'a=b',
        'openai-organization': 'org-Abc123Def456',
      }),
    );
    const response = await proxy(ask());
    expect([response.status, await response.json()]).toEqual([
      429,
      {
        type: 'error',
        error: {
          type: 'tokens',
          code: 'rate_limit_exceeded',
          message: 'Rate limit for gpt-x in organization [redacted] on [redacted] and [redacted]',
        },
      },
    ]);
    const headers = Object.fromEntries(response.headers);
    expect(headers).toMatchObject({
      'retry-after': '7',
      'retry-after-ms': '6500',
      'x-ratelimit-remaining-requests': '0',
    });
    expect(headers).not.toHaveProperty('set-cookie');
    expect(headers).not.toHaveProperty('openai-organization');
    expect(headers['access-control-expose-headers']).toContain('retry-after, retry-after-ms');
  });

  test.each<[string, Record<string, string>, string]>([
    ['', {}, '18'],
    [', unless a header says it, too', { 'retry-after': '20' }, '20'],
  ])('the wait that Google asks for in its body is passed on as a header%s', async (_, headers, wait) => {
    const retry = { '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: '17.074824224s' };
    const error = { code: 429, message: 'Quota exceeded.', status: 'RESOURCE_EXHAUSTED', details: [retry] };
    const { proxy } = fixture(() => json({ error }, 429, headers));
    const response = await proxy(
      ask({
        path: '/google/models/gemini-x:generateContent',
        body: { contents: [{ parts: [{ text: 'Hi' }] }] },
      }),
    );
    expect([response.status, response.headers.get('retry-after')]).toEqual([429, wait]);
    expect(JSON.stringify(await response.json())).not.toContain('retryDelay');
  });

  test("the type and the code of an error are passed on, unless they are the provider's key", async () => {
    const groqKey = 'gsk_0123456789abcdef';
    const { proxy } = fixture(() => json({ error: { message: 'No.', type: groqKey, code: groqKey } }, 429), {
      providers: { openai: { apiKey: groqKey, models: ['gpt-x'] } },
    });
    const error = { type: 'upstream_error', code: 'upstream_error', message: 'No.' };
    expect(await (await proxy(ask())).json()).toEqual({ type: 'error', error });
  });

  test.each<[string, unknown, string]>([
    ['in a list, as from Google', [{ error: { message: 'Too long.' } }], 'Too long.'],
    ['as the error itself', { error: 'Too long.' }, 'Too long.'],
    ['as the detail', { detail: 'Too long.' }, 'Too long.'],
    ['in no known field', { error: { reason: 'Too long.' } }, 'The provider answered with 400.'],
    ['nowhere, as it is a text', 'Too long.', 'The provider answered with 400.'],
  ])('the message of an error is found %s', async (_, body, message) => {
    const { proxy } = fixture(() => json(body, 400));
    expect(await (await proxy(ask())).json()).toMatchObject({ error: { message } });
  });

  test('silence is 504 and costs the reservation', async () => {
    const { proxy, store } = fixture(() => new Promise(() => {}), { timeouts: { ttfbMs: 20 } });
    expect(await refused(proxy(ask()))).toEqual({ status: 504, code: 'upstream_timeout' });
    expect(store[1]).toBe(store[0]!.replace('reserve', 'settle'));
  });

  test('an error with an endless body is still answered', async () => {
    for (const body of [
      parts(['{"error":'], 'hang'),
      parts(Array.from({ length: 99 }, () => 'x'.repeat(1_000))),
    ]) {
      const { proxy } = fixture(() => new Response(body, { status: 500 }), {
        limits: { errorBytes: 5_000 },
        timeouts: { idleMs: 20 },
      });
      const response = await proxy(ask());
      expect([response.status, await response.json()]).toEqual([
        500,
        {
          type: 'error',
          error: {
            type: 'upstream_error',
            code: 'upstream_error',
            message: 'The provider answered with 500.',
          },
        },
      ]);
    }
  });

  test.each<[string, number, string, () => ConstructorParameters<typeof Response>[0]]>([
    ['too large', 502, 'upstream_too_large', () => `{"a":"${'x'.repeat(2_000)}"}`],
    ['silent', 504, 'upstream_timeout', () => parts(['{'], 'hang')],
    ['broken off', 502, 'upstream_broken', () => parts(['{'], 'error')],
  ])('a JSON answer that is %s: %i %s', async (_, status, code, body) => {
    const { proxy, store } = fixture(
      () => new Response(body(), { headers: { 'content-type': 'application/json' } }),
      { limits: { responseBytes: 1_000 }, timeouts: { idleMs: 20 } },
    );
    expect(await refused(proxy(ask()))).toEqual({ status, code });
    expect(store[1]).toBe(store[0]!.replace('reserve', 'settle'));
  });

  test('a JSON answer is passed on and settled', async () => {
    const answer = {
      choices: [{ message: { content: `no ${key}` } }],
      usage: { prompt_tokens: 3, completion_tokens: 4 },
    };
    const { proxy, store, events } = fixture(() => json(answer));
    const response = await proxy(ask());
    expect(await response.json()).toEqual({
      ...answer,
      choices: [{ message: { content: 'no [redacted]' } }],
    });
    expect(response.headers.get('content-type')).toBe('application/json');
    expect(store[1]).toBe('settle 7');
    expect(events[1]).toMatchObject({ outcome: 'done', status: 200, tokens: { input: 3, output: 4 } });
  });

  test('a throwing listener and a failing store have no effect on the response', async () => {
    const throwing = (): never => {
      throw new Error('full');
    };
    for (const onEvent of [throwing, async () => throwing()]) {
      const { proxy } = fixture(() => chatStream(['Hi']), {
        onEvent,
        store: { ...createMemoryLimits(), settle: () => Promise.reject(new Error('down')) },
      });
      const response = await proxy(ask({ body: { ...chatBody, stream: true } }));
      expect(await response.text()).toContain('[DONE]');
    }
  });
});
