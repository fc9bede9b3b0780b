// Requests that use a server's resources are counted, even without a user and with endless bodies.
import {
  createMemoryShares,
  createModelProxy,
  createShareStore,
  type ModelProxyOptions,
} from '@cueline/edge';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { testRoute, address as routeUrl, page } from './route/routes.ts';

const ip = '203.0.113.7';
const fromHeader = (request: Request): string => request.headers.get('x-test-ip') ?? ip;

/** A body that begins and never ends, until `release` lets it go. */
function halfOpen(): { body: ReadableStream<Uint8Array>; release: () => void } {
  let release = (): void => {};
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      controller.enqueue(new TextEncoder().encode('{"input":'));
      release = () => controller.error(new Error('gone'));
    },
  });
  return { body, release };
}

function post(
  url: string,
  body: string | ReadableStream<Uint8Array>,
  headers: Record<string, string> = {},
): Request {
  return new Request(url, {
    method: 'POST',
    body,
    headers: { origin: page, 'content-type': 'application/json', ...headers },
    duplex: 'half',
  });
}

/** The statuses of requests that are made one after the other. */
async function statuses(count: number, ask: () => Promise<Response>): Promise<number[]> {
  const seen: number[] = [];
  for (let made = 0; made < count; made += 1) seen.push((await ask()).status);
  return seen;
}

describe('a body that never ends', () => {
  test('counts for its subject: the seventeenth at once is refused until another has ended', async () => {
    const { fetch } = testRoute(['Hello!']);
    const open = Array.from({ length: 16 }, halfOpen);
    const pending = open.map(({ body }) => fetch('ada')(post(routeUrl, body)));
    const refused = await fetch('ada')(post(routeUrl, halfOpen().body));
    expect(refused.status).toBe(429);
    expect(await refused.json()).toMatchObject({ error: { code: 'too_many_at_once' } });
    // another subject has its own
    expect((await fetch('grace')(post(routeUrl, '{"input":{"name":"Grace"}}'))).status).toBe(200);
    open[0]!.release();
    expect((await pending[0]!).status).toBe(400);
    expect((await fetch('ada')(post(routeUrl, '{"input":{"name":"Ada"}}'))).status).toBe(200);
    for (const { release } of open) release();
    await Promise.all(pending);
  });

  test('counts at a model proxy, too', async () => {
    const proxy = createModelProxy(proxyOptions());
    const open = Array.from({ length: 16 }, halfOpen);
    const pending = open.map(({ body }) => proxy(post(modelUrl, body), env));
    expect((await proxy(post(modelUrl, halfOpen().body), env)).status).toBe(429);
    for (const { release } of open) release();
    await Promise.all(pending);
  });
});

describe('requests that auth refuses', () => {
  const refusing = (): { asked: number; options: Pick<ModelProxyOptions, 'auth' | 'address'> } => {
    const seen = {
      asked: 0,
      options: {
        address: fromHeader,
        auth: (request: Request) => {
          seen.asked += 1;
          return request.headers.get('authorization') === 'Bearer ada' ? { subject: 'ada' } : null;
        },
      },
    };
    return seen;
  };

  test('are counted by IP address: after 60 in a minute, auth is no longer called', async () => {
    const seen = refusing();
    const { route } = testRoute(['Hello!'], seen.options);
    const guess = (): Promise<Response> => route(post(routeUrl, '{}', { authorization: 'Bearer guess' }));
    const answers = await statuses(65, guess);
    expect(answers.filter((status) => status === 401)).toHaveLength(60);
    expect(answers.slice(60)).toEqual([429, 429, 429, 429, 429]);
    expect(seen.asked).toBe(60);
    // another address has its own count
    const elsewhere = { authorization: 'Bearer ada', 'x-test-ip': '198.51.100.1' };
    expect((await route(post(routeUrl, '{"input":{"name":"Ada"}}', elsewhere))).status).toBe(200);
  });

  test('are bounded when they come at once, and good ones only wait', async () => {
    let asked = 0;
    let open = 0;
    let most = 0;
    const { route } = testRoute(
      Array.from({ length: 200 }, () => 'Hello!'),
      {
        address: fromHeader,
        limits: { requests: 1_000 },
        auth: async (request) => {
          asked += 1;
          most = Math.max(most, (open += 1));
          await new Promise((resolve) => setTimeout(resolve, 5));
          open -= 1;
          return request.headers.get('authorization') === 'Bearer ada' ? { subject: 'ada' } : null;
        },
      },
    );
    const ask = async (token: string): Promise<number> => {
      const headers = { authorization: `Bearer ${token}`, origin: page };
      return (await route(new Request(`${routeUrl}?run=run-1`, { headers }))).status;
    };
    const good = await Promise.all(Array.from({ length: 200 }, () => ask('ada')));
    expect([new Set(good), most]).toEqual([new Set([404]), 60]);
    asked = 0;
    const begun = performance.now();
    const bad = await Promise.all(Array.from({ length: 2_000 }, () => ask('guess')));
    expect(new Set(bad)).toEqual(new Set([401, 429]));
    // each further second has room for one more
    expect(asked).toBeLessThan(120 + (performance.now() - begun) / 1_000);
  });

  test('leave the line with their clients, without a call of auth', async () => {
    let asked = 0;
    let go = (): void => {};
    const open = new Promise<void>((resolve) => (go = resolve));
    const { route } = testRoute([], {
      address: fromHeader,
      auth: async () => {
        asked += 1;
        await open;
        return null;
      },
    });
    const leaving = new AbortController();
    const ask = async (signal?: AbortSignal): Promise<number> =>
      (await route(new Request(`${routeUrl}?run=run-1`, { signal: signal ?? null }))).status;
    const first = Array.from({ length: 60 }, () => ask());
    await expect.poll(() => asked).toBe(60);
    const left = Array.from({ length: 40 }, () => ask(leaving.signal));
    leaving.abort();
    expect(new Set(await Promise.all(left))).toEqual(new Set([499]));
    go();
    expect(new Set(await Promise.all(first))).toEqual(new Set([401]));
    expect(asked).toBe(60);
  });

  const malformed = (): never => {
    throw new Error('The token is malformed.');
  };

  test.each<[string, () => never]>([
    ['fails', malformed],
    ['returns no subject', () => ({ user: 'ada' }) as never],
  ])('include those at which it %s', async (_, answer) => {
    let asked = 0;
    const { route } = testRoute([], { address: fromHeader, auth: () => ((asked += 1), answer()) });
    const answers = await statuses(62, () => route(post(routeUrl, '{}', { authorization: 'Bearer guess' })));
    expect(new Set(answers.slice(0, 60))).toEqual(new Set([503]));
    expect(answers.slice(60)).toEqual([429, 429]);
    expect(asked).toBe(60);
  });

  test('are counted at a model proxy, too', async () => {
    const seen = refusing();
    const proxy = createModelProxy({ ...proxyOptions(), ...seen.options });
    const answers = await statuses(61, () => proxy(post(modelUrl, '{}'), env));
    expect(answers.filter((status) => status === 401)).toHaveLength(60);
    expect(answers.at(-1)).toBe(429);
  });

  test('requests that auth accepts never count as refused', async () => {
    const { route } = testRoute([], refusing().options);
    const asAda = { authorization: 'Bearer ada' };
    const ask = (): Promise<Response> => route(new Request(`${routeUrl}?run=none`, { headers: asAda }));
    expect(new Set(await statuses(80, ask))).toEqual(new Set([404]));
  });
});

test('opened shares are counted by IP address', async () => {
  const store = createShareStore({
    origins: [page],
    auth: 'none',
    address: fromHeader,
    storage: createMemoryShares(),
    limits: { readsPerMinute: 20 },
  });
  const open = (from: string) => (): Promise<Response> =>
    store(
      new Request('https://example.test/api/shares/AbCdEfGhIjKlMnOpQrSt-A', {
        headers: { origin: page, 'x-test-ip': from },
      }),
    );
  const answers = await statuses(25, open(ip));
  expect(answers.filter((status) => status === 404)).toHaveLength(20);
  expect(answers.slice(20)).toEqual([429, 429, 429, 429, 429]);
  expect((await open('198.51.100.1')()).status).toBe(404);
});

describe('without an IP address, requests count together', () => {
  // requests are counted by time, which does not pass here, so that the machine's speed does not matter
  beforeEach(() => void vi.useFakeTimers({ toFake: ['performance'] }));
  afterEach(() => void vi.useRealTimers());

  test('after 1,200 refused requests in a minute, auth is no longer called', async () => {
    let asked = 0;
    const { route } = testRoute([], { auth: () => ((asked += 1), null) });
    const guess = (): Promise<Response> => route(new Request(`${routeUrl}?run=none`));
    const answers = await statuses(1_202, guess);
    expect(new Set(answers.slice(0, 1_200))).toEqual(new Set([401]));
    expect(answers.slice(1_200)).toEqual([429, 429]);
    expect(asked).toBe(1_200);
    vi.advanceTimersByTime(60_000);
    expect((await guess()).status).toBe(401);
  }, 60_000);

  test('opened shares have 20 times the limit of one address', async () => {
    const store = createShareStore({
      origins: [page],
      auth: () => ({ subject: 'ada' }),
      limits: { readsPerMinute: 3 },
    });
    const open = (): Promise<Response> =>
      store(
        new Request('https://example.test/api/shares/AbCdEfGhIjKlMnOpQrSt-A', { headers: { origin: page } }),
      );
    const answers = await statuses(62, open);
    expect(new Set(answers.slice(0, 60))).toEqual(new Set([404]));
    expect(answers.slice(60)).toEqual([429, 429]);
  });
});

const modelUrl = 'https://example.test/api/models/openai/responses';
const env = { OPENAI_API_KEY: 'sk-of-the-server' };

function proxyOptions(): ModelProxyOptions {
  return {
    providers: { openai: { models: ['gpt-4o-mini'] } },
    origins: [page],
    auth: () => ({ subject: 'ada' }),
    fetch: () => Promise.reject(new TypeError('fetch failed')),
  };
}

test('an invalid address is reported once a minute, however many requests have one', async () => {
  const auth = (): { subject: string } => ({ subject: 'ada' });
  const { route, events } = testRoute([], { address: () => '', auth });
  const answers = await statuses(10, () => route(post(routeUrl, '{"input":{}}')));
  expect(new Set(answers)).toEqual(new Set([503]));
  expect(events.filter(({ type }) => type === 'failed')).toHaveLength(1);
});
