import { CuelineError } from '@cueline/core';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { ask, base, createModelProxy, fixture, type ModelProxyOptions, origin, refused } from './support.ts';

afterEach(() => void vi.useRealTimers());

describe('invalid options are refused', () => {
  const good: ModelProxyOptions = {
    providers: { openai: { models: ['gpt-x'] } },
    origins: [origin],
    auth: () => null,
  };
  const mine = (provider: object): Partial<ModelProxyOptions> => ({ providers: { mine: provider } as never });
  test.each<[string, Partial<ModelProxyOptions>]>([
    ["origins has '*'", { origins: ['*'] }],
    ['origins has "null"', { origins: ['null'] }],
    ['origins has "https://play.example/"', { origins: ['https://play.example/'] }],
    ['origins is missing', { origins: undefined as never }],
    ['auth is missing', { auth: undefined as never }],
    ["auth is 'none' without address", { auth: 'none' }],
    ["requestHeaders has '*'", { requestHeaders: ['*'] }],
    ['requestHeaders has "x y"', { requestHeaders: ['x y'] }],
    ['basePath is not a path', { basePath: '/api/' }],
    ['basePath is not a path', { basePath: '/api/../x' }],
    ['providers is empty', { providers: {} }],
    ['providers.mine has no baseURL', mine({ models: ['a'], apiKey: 'k' })],
    [
      'providers.openai.apiKey is too short',
      { providers: { openai: { apiKey: ' none12 ', models: ['a'] } } },
    ],
    [
      'providers.mine.apiKey is too short',
      mine({ baseURL: 'https://a.example', models: ['a'], apiKey: ' ' }),
    ],
    ['providers.mine has no models', mine({ baseURL: 'https://a.example', apiKey: 'k' })],
    ['providers.mine has no apiKey', mine({ baseURL: 'https://a.example', models: ['a'] })],
    [
      'whose bodies cannot be checked',
      mine({ baseURL: 'https://a.example', models: ['a'], apiKey: 'k', paths: ['/files'] }),
    ],
    ['createModelProxy has no "orgins". Did you mean origins?', { orgins: ['https://a.example'] } as never],
    [
      'createModelProxy: providers.mine has no "baseUrl". Did you mean baseURL?',
      mine({ baseUrl: 'https://a.example', models: ['a'], apiKey: 'k' }),
    ],
    [
      'providers.cohere: the API of cohere cannot be checked. Use createPromptRoute',
      { providers: { cohere: { models: ['command-x'] } } },
    ],
    [
      'providers.gateway: the API of gateway cannot be checked',
      { providers: { gateway: { models: ['openai/gpt-x'] } } },
    ],
    ['limits.rmp is not known', { limits: { rmp: 3 } as never }],
    ['limits.rpm is not a number above 0', { limits: { rpm: Number.NaN } }],
    // as JSON it would be null, which bounds no answer
    ['limits.maxOutputTokens is Infinity. Give the most tokens', { limits: { maxOutputTokens: Infinity } }],
    [
      'providers.openai.contextTokens is Infinity. Give the most tokens',
      { providers: { openai: { models: ['gpt-x'], contextTokens: Infinity } } },
    ],
    ['timeouts.idleMs is not a number above 0', { timeouts: { idleMs: -1 } }],
  ])('%s', (message, options) => {
    const create = (): unknown => createModelProxy({ ...good, ...options });
    expect(create).toThrow(CuelineError);
    expect(create).toThrow(message);
  });

  test("'*' in development allows every origin by name, and never null", async () => {
    const { proxy } = fixture(undefined, { origins: ['*'], development: true });
    const response = await proxy(ask({ headers: { origin: 'http://localhost:5173' } }));
    expect(response.headers.get('access-control-allow-origin')).toBe('http://localhost:5173');
    expect(response.headers.has('access-control-allow-credentials')).toBe(false);
    expect((await refused(proxy(ask({ headers: { origin: 'null' } })))).status).toBe(403);
  });

  test("with '*', only a named origin may send its cookies", async () => {
    const { proxy } = fixture(undefined, { origins: ['*', origin], development: true });
    const allowed = async (from: string) => {
      const preflight = { origin: from, 'access-control-request-method': 'POST' };
      const asked = [
        new Request(`${base}/openai/chat/completions`, { method: 'OPTIONS', headers: preflight }),
        ask({ headers: { origin: from } }),
      ];
      const answers = await Promise.all(asked.map(proxy));
      return answers.map(({ headers }) => headers.get('access-control-allow-credentials'));
    };
    expect(await allowed(origin)).toEqual(['true', 'true']);
    expect(await allowed('https://evil.example')).toEqual([null, null]);
  });

  test('the response is 503 if auth does not answer', async () => {
    vi.useFakeTimers();
    const { proxy } = fixture(undefined, { auth: () => new Promise(() => {}) });
    const answer = refused(proxy(ask()));
    await vi.advanceTimersByTimeAsync(10_001);
    expect(await answer).toEqual({ status: 503, code: 'unavailable' });
  });

  test.each([
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1::/48'],
    ['2001:DB8::1', '2001:db8:0::/48'],
    ['::1', '0:0:0::/48'],
    ['2001:db8:1:2:3::', '2001:db8:1::/48'],
    ['::ffff:10.0.0.1', '10.0.0.1'],
    ['0:0:0:0:0:FFFF:a00:1', '10.0.0.1'],
    ['::ffff:255.254.1.0', '255.254.1.0'],
    ['10.0.0.1', '10.0.0.1'],
    ['fe80::1%eth0', 'fe80:0:0::/48'],
  ])('the address %s counts as %s', async (address, subject) => {
    const { proxy, events } = fixture(undefined, { auth: 'none', address: () => address });
    await proxy(ask());
    expect(events[0]).toMatchObject({ type: 'call', subject: `address:${subject}` });
  });

  test.each([
    '1.2.3.4:5678',
    '[::1]:80',
    '[::1]',
    '10.0.0.1, 10.0.0.2',
    'example.com',
    '',
    '1',
    '256.0.0.1',
    '010.0.0.1',
    '::1/64',
    '::1]@[::2',
    '1:2:3',
    ' 10.0.0.1',
    undefined,
    { ip: '10.0.0.1' },
  ])('an address that is not an IP address is refused and reported to the operator: %o', async (given) => {
    const { proxy, events, store } = fixture(undefined, { auth: 'none', address: () => given as string });
    const response = await proxy(ask());
    expect([response.status, await response.json()]).toEqual([
      503,
      {
        error: {
          type: 'proxy_error',
          code: 'unavailable',
          message: "The caller's address could not be read on this server.",
        },
      },
    ]);
    const what = typeof given === 'string' ? JSON.stringify(given) : `something of type ${typeof given}`;
    expect(events).toEqual([
      {
        type: 'failed',
        error: expect.objectContaining({
          code: 'invalid_options',
          message: expect.stringMatching(
            /^address returned .* is not an IP address.* Give one, without a port: address: /,
          ),
        }),
      },
      { type: 'refused', status: 503, code: 'unavailable', provider: 'openai' },
    ]);
    expect((events[0] as { error: Error }).error.message).toContain(`address returned ${what},`);
    expect(store).toEqual([]);
  });

  test("auth 'none' counts by IP address, and allows pages only", async () => {
    const { proxy, events } = fixture(undefined, {
      auth: 'none',
      address: (request) => request.headers.get('x-peer') ?? '',
    });
    await proxy(ask({ headers: { 'x-peer': '10.0.0.1' } }));
    expect(events[0]).toMatchObject({ type: 'call', subject: 'address:10.0.0.1' });
    const program = ask({ headers: { 'x-peer': '10.0.0.1', origin: undefined } });
    expect((await refused(proxy(program))).status).toBe(401);
    const samePage = ask({
      headers: { 'x-peer': '10.0.0.2', origin: undefined, 'sec-fetch-site': 'same-origin' },
    });
    expect((await proxy(samePage)).status).toBe(200);
  });
});

const fnFails = () => {
  throw new Error('sk-live-0123456789abcdef');
};
const noKey =
  "createModelProxy: providers.openai.apiKey gave no key that can be sent: it is missing, too short or more than one word, or the function threw. Return the provider's key.";

test.each<[what: string, apiKey: (() => never) | undefined, message: string]>([
  [
    'no variable',
    undefined,
    'createModelProxy has no key for openai. Set OPENAI_API_KEY where the proxy runs. On Workers, pass the environment and the context to the proxy, too.',
  ],
  ['a function that returns none', () => undefined as never, noKey],
  ['a function that returns two words', () => 'Bearer sk-live-0123456789abcdef' as never, noKey],
  ['a function that throws', fnFails, noKey],
])(
  'a key that comes from %s is reported to the operator, without its text',
  async (_what, apiKey, message) => {
    const openai = { models: ['gpt-x'], ...(apiKey === undefined ? {} : { apiKey }) };
    const events: unknown[] = [];
    const proxy = createModelProxy({
      providers: { openai },
      origins: [origin],
      auth: () => ({ subject: 'ada' }),
      onEvent: (event) => events.push(event),
    });
    expect(await refused(proxy(ask(), { NOTHING: 'here' }))).toEqual({ status: 503, code: 'unavailable' });
    expect(events).toEqual([
      { type: 'failed', error: expect.objectContaining({ code: 'missing_key', message }) },
      { type: 'refused', status: 503, code: 'unavailable', provider: 'openai', subject: 'ada' },
    ]);
  },
);
