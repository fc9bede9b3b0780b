import { expect, onTestFinished, test, vi } from 'vitest';
import { ask, createMemoryLimits, fixture, origin, refused } from './support.ts';

/** Limits for which no time passes. */
const stoppedClock = () => createMemoryLimits({ now: () => 0 });

const nonsense = () => ask({ body: { model: 'nobody offers it' } });

test('refused requests also count for their subject, and no provider is called', async () => {
  const { proxy, store, events } = fixture(undefined, {
    limits: { requests: 3 },
    store: stoppedClock(),
    auth: ({ headers }) => ({ subject: headers.get('authorization')! }),
  });
  const denied = { status: 403, code: 'model_denied' };
  for (let call = 0; call < 3; call += 1) expect(await refused(proxy(nonsense()))).toEqual(denied);
  const body = new ReadableStream({ pull: () => expect.unreachable('It is read.') }, { highWaterMark: 0 });
  const answer = await proxy(ask({ body }));
  expect(answer.headers.get('retry-after')).toBe('20');
  expect(await refused(answer)).toEqual({ status: 429, code: 'rate_limited' });
  expect(await refused(proxy(ask({ body: {}, headers: { authorization: 'Bearer eve' } })))).toMatchObject({
    status: 400,
  });
  expect(store).toEqual([]);
  expect(events.map((event) => 'code' in event && event.code)).toEqual([
    'model_denied',
    'model_denied',
    'model_denied',
    'rate_limited',
    'invalid_body',
  ]);
});

test.each([
  [{}, 120],
  [{ rpm: 30 }, 180],
])('with %o, %i requests a minute are allowed', async (limits, most) => {
  // with each half second there would be room for one more
  vi.useFakeTimers({ toFake: ['performance'] });
  onTestFinished(() => void vi.useRealTimers());
  const { proxy } = fixture(undefined, { limits, store: stoppedClock() });
  const statuses: number[] = [];
  for (let call = 0; call < most + 2; call += 1) statuses.push((await proxy(nonsense())).status);
  expect(statuses).toEqual([...Array.from({ length: most }, () => 403), 429, 429]);
});

test('a call whose caller leaves while its tokens are reserved is settled, and reported as refused only', async () => {
  const caller = new AbortController();
  const limits = createMemoryLimits();
  const { proxy, sent, store, events } = fixture(undefined, {
    store: {
      ...limits,
      reserve(call) {
        caller.abort();
        return limits.reserve(call);
      },
    },
  });
  expect(await refused(proxy(ask({ signal: caller.signal })))).toEqual({
    status: 499,
    code: 'client_closed',
  });
  expect(sent).toEqual([]);
  expect(store).toEqual([expect.stringMatching(/^reserve \d+$/), 'settle 0']);
  expect(events).toEqual([
    { type: 'refused', status: 499, code: 'client_closed', provider: 'openai', subject: 'ada' },
  ]);
});

/** A proxy whose store fails at the first `failures` settlements, and lets a subject make one call at once. */
function proxyWithOutage(failures: number) {
  const limits = createMemoryLimits();
  let attempts = 0;
  return fixture(undefined, {
    limits: { concurrent: 1 },
    store: {
      ...limits,
      async settle(call) {
        attempts += 1;
        if (attempts <= failures) throw new Error('down');
        return limits.settle(call);
      },
    },
  });
}

test('a call that cannot be settled at first is settled once the store is back, and its slot is free then', async () => {
  const { proxy, store, events } = proxyWithOutage(2);
  expect(await (await proxy(ask())).text()).toContain('Hi');
  expect(events.map(({ type }) => type)).toEqual(['call', 'failed']);
  expect(await refused(proxy(ask()))).toEqual({ status: 429, code: 'too_many_at_once' });
  await expect.poll(() => events.map(({ type }) => type), { timeout: 10_000 }).toContain('end');
  expect(store.filter((each) => each === 'settle 12')).toHaveLength(3);
  expect((await proxy(ask())).status).toBe(200);
  expect(events.map(({ type }) => type)).not.toContain('unsettled');
});

test('a reservation whose answer gets lost is refused, and its slot is free at once', async () => {
  const limits = createMemoryLimits();
  let lost = 1;
  const { proxy, store } = fixture(undefined, {
    limits: { concurrent: 1 },
    store: {
      ...limits,
      async reserve(call) {
        const reserved = await limits.reserve(call);
        if (lost-- > 0) throw new Error('The connection was closed.');
        return reserved;
      },
    },
  });
  expect(await refused(proxy(ask()))).toEqual({ status: 503, code: 'unavailable' });
  await expect.poll(() => store).toContain('settle 0');
  expect((await proxy(ask())).status).toBe(200);
});

test('a call that cannot be settled for more than a minute is reported, and the caller does not wait for that', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  const { proxy, events } = proxyWithOutage(Infinity);
  expect(await (await proxy(ask())).text()).toContain('Hi');
  await vi.advanceTimersByTimeAsync(60_000);
  expect(events.map(({ type }) => type)).toEqual(['call', 'failed']);
  await vi.advanceTimersByTimeAsync(60_000);
  expect(events.map(({ type }) => type)).toEqual(['call', 'failed', 'unsettled', 'end']);
});

test.each([
  ['/groq/chat/completions', 'unknown_provider'],
  ['/openai/embeddings', 'unknown_path'],
  ['/google/models/gemini-z:generateContent', 'model_denied'],
])('a page of another origin can read why a call to %s is refused', async (path, code) => {
  const { proxy } = fixture();
  const preflight = { authorization: undefined, 'access-control-request-method': 'POST' };
  expect((await proxy(ask({ path, method: 'OPTIONS', headers: preflight }))).status).toBe(204);
  const answer = await proxy(ask({ path }));
  expect(answer.headers.get('access-control-allow-origin')).toBe(origin);
  expect(await refused(answer)).toMatchObject({ code });
});
