import { decodeLink, encodeLink } from '@cueline/core/link';
import { createMemoryLimits, createMemoryShares, createShareStore } from '@cueline/edge';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { base, body, fixture, get, log, origin, put, refused, script, send } from './support.ts';

const day = 24 * 60 * 60_000;

describe('a share', () => {
  test('is put under an id that cannot be guessed, and returned to anyone who has it', async () => {
    const { store, events } = fixture({ now: () => 1_000 });
    const response = await store(send());
    expect(response.status).toBe(201);
    const { id, expiresAt } = (await response.json()) as { id: string; expiresAt: number };
    expect(id).toMatch(/^[\w-]{22}$/);
    expect(expiresAt).toBe(1_000 + 30 * day);
    const opened = await store(get(id));
    expect(opened.status).toBe(200);
    expect(decodeLink(`#${await opened.text()}`)).toEqual({ script, log });
    expect(events).toEqual([
      { type: 'put', subject: 'ada', bytes: body.length, expiresAt },
      { type: 'get', found: true, bytes: body.length },
    ]);
    expect(JSON.stringify(events)).not.toContain(id);
  });

  test('is never a page: whatever it holds, a browser does nothing with it', async () => {
    const { store } = fixture();
    const page = encodeLink({ script: '<!doctype html><script>alert(1)</script>' }).slice(1);
    const { id } = (await (await store(send({ body: page }))).json()) as { id: string };
    const { headers } = await store(get(id));
    expect(Object.fromEntries(headers)).toEqual({
      'access-control-allow-credentials': 'true',
      'access-control-allow-origin': origin,
      'access-control-expose-headers': 'retry-after, retry-after-ms',
      'cache-control': 'no-store, no-transform',
      'content-disposition': 'attachment; filename="share.cueline"',
      'content-security-policy': "sandbox; default-src 'none'; frame-ancestors 'none'",
      'content-type': 'application/octet-stream',
      'cross-origin-resource-policy': 'same-origin',
      'referrer-policy': 'no-referrer',
      vary: 'origin',
      'x-accel-buffering': 'no',
      'x-content-type-options': 'nosniff',
    });
  });

  test('of a script alone, or a run alone, is a share', async () => {
    const { store } = fixture();
    for (const payload of [
      { script },
      { log },
      { prompts: [{ id: 'a' }] },
      { evaluation: { settings: {} } },
    ]) {
      const response = await store(send({ body: encodeLink(payload).slice(1) }));
      const { id } = (await response.json()) as { id: string };
      expect(decodeLink(`#${await (await store(get(id))).text()}`)).toEqual(payload);
    }
  });

  test('expires', async () => {
    let now = 0;
    const { store } = fixture({ now: () => now, limits: { lifetimeMs: day } });
    const id = await put(store);
    now = day - 1;
    expect((await store(get(id))).status).toBe(200);
    now = day;
    expect(await refused(store(get(id)))).toEqual([404, 'unknown_share']);
  });

  test('has a new id each time, also 50 at once', async () => {
    const { store } = fixture({ limits: { rpm: 1_000, concurrent: 1_000, dailyBytes: 1 << 30 } });
    const ids = await Promise.all(Array.from({ length: 50 }, () => put(store)));
    expect(new Set(ids).size).toBe(50);
    for (const id of ids) expect((await store(get(id))).status).toBe(200);
  });

  test('is found by another instance with the same storage', async () => {
    const storage = createMemoryShares();
    const id = await put(fixture({ storage }).store);
    expect(await (await fixture({ storage }).store(get(id))).text()).toBe(body);
  });

  test('its settings are public', async () => {
    const { store } = fixture({ limits: { lifetimeMs: day, bodyBytes: 1_000 } });
    const response = await store(send({ method: 'GET', headers: { authorization: null } }));
    expect(response.status).toBe(200);
    expect(await response.json()).toEqual({ bodyBytes: 1_000, lifetimeMs: day });
  });
});

describe('who may', () => {
  test('a page sends a preflight first, and learns what it may send', async () => {
    const { store } = fixture();
    const preflight = { 'access-control-request-method': 'POST' };
    const { status, headers } = await store(send({ method: 'OPTIONS', headers: preflight }));
    expect(status).toBe(204);
    expect(headers.get('access-control-allow-methods')).toBe('GET, POST, DELETE');
    expect(headers.get('access-control-allow-headers')).toBe('authorization, content-type, x-delete-key');
    expect(headers.get('access-control-allow-origin')).toBe(origin);
  });

  test.each([
    ['null', { origin: 'null' }],
    ['another', { origin: 'https://evil.example' }],
    ['a longer one', { origin: `${origin}.evil.example` }],
    ['none, from another site', { origin: null, 'sec-fetch-site': 'cross-site' }],
  ])('origin %s may neither share nor open', async (_name, headers) => {
    const { store } = fixture();
    const id = await put(store);
    for (const request of [send({ headers }), get(id, headers), send({ method: 'OPTIONS', headers })]) {
      const response = await store(request);
      expect(response.headers.get('access-control-allow-origin')).toBeNull();
      expect(await refused(response)).toEqual([403, 'origin_denied']);
    }
  });

  test('a caller without auth cannot share, and can open', async () => {
    const { store } = fixture();
    const id = await put(store);
    expect(await refused(store(send({ headers: { authorization: null } })))).toEqual([401, 'unauthorized']);
    expect(await refused(store(send({ headers: { authorization: 'Bearer eve' } })))).toEqual([
      401,
      'unauthorized',
    ]);
    expect((await store(get(id))).status).toBe(200);
    // the address in the bar, and a program
    expect((await store(get(id, { origin: null, 'sec-fetch-site': 'none' }))).status).toBe(200);
    expect((await store(get(id, { origin: null }))).status).toBe(200);
  });

  test("without auth a page's address is counted, and a program is refused", async () => {
    const { store, events } = fixture({ auth: 'none', address: () => '192.0.2.1' });
    expect((await store(send({ headers: { authorization: null } }))).status).toBe(201);
    expect(events).toMatchObject([{ type: 'put', subject: 'address:192.0.2.1' }]);
    const response = await store(send({ headers: { origin: null } }));
    // there are no credentials that it could send
    expect(await response.clone().text()).toContain('Call it from such a page.');
    expect(await refused(response)).toEqual([401, 'unauthorized']);
  });

  test('an invalid address is refused and reported to the operator', async () => {
    const { store, events } = fixture({ auth: 'none', address: () => '192.0.2.1:5678' });
    expect(await refused(store(send()))).toEqual([503, 'unavailable']);
    expect(events).toMatchObject([
      { type: 'failed', error: { message: expect.stringContaining('address returned "192.0.2.1:5678"') } },
      { type: 'refused', status: 503, code: 'unavailable' },
    ]);
  });
});

describe('how much', () => {
  test('a minute and a day are counted for each subject, and by themselves', async () => {
    const limits = createMemoryLimits({ now: () => 0 });
    const { store } = fixture({
      store: limits,
      limits: { rpm: 2, bodyBytes: 1_000, dailyBytes: 1_000 },
      auth: (request) => ({ subject: request.headers.get('authorization')! }),
    });
    const as = (subject: string) => store(send({ headers: { authorization: subject } }));
    // the first has been spent as what it is, and no whole share fits in what is left
    expect((await as('ada')).status).toBe(201);
    const daily = await as('ada');
    expect(daily.headers.get('retry-after')).toBe('86400');
    expect(await refused(daily)).toEqual([429, 'rate_limited']);
    expect((await as('bob')).status).toBe(201);
    const ada = { subject: 'ada', tokens: 900, rpm: 1, concurrent: 1, dailyTokens: 900, leaseMs: 1 };
    expect(await limits.reserve({ ...ada, id: 'a call' })).toEqual({ ok: true });

    const often = fixture({ now: () => 0, limits: { rpm: 2 } }).store;
    expect((await often(send())).status).toBe(201);
    expect(await refused(often(send({ body: 'no share' })))).toEqual([400, 'invalid_body']);
    const third = await often(send());
    expect(third.headers.get('retry-after')).toBe('60');
    expect(await refused(third)).toEqual([429, 'rate_limited']);
  });

  test('at once, too, and one that breaks off does not stay counted', async () => {
    const { store } = fixture({ limits: { concurrent: 1 } });
    let end = (): void => {};
    const slow = new ReadableStream<Uint8Array<ArrayBuffer>>({
      start: (controller) => void (end = () => controller.error(new Error('gone'))),
    });
    const first = store(send({ body: slow }));
    await new Promise((resolve) => setTimeout(resolve, 5));
    expect(await refused(store(send()))).toEqual([429, 'too_many_at_once']);
    end();
    expect(await refused(first)).toEqual([400, 'invalid_body']);
    expect((await store(send())).status).toBe(201);
  });

  test('what a share counts is stored before its answer, after which a Worker may stop', async () => {
    const limits = createMemoryLimits();
    let settled = 0;
    const settle: typeof limits.settle = async (call) => {
      await new Promise((resolve) => setTimeout(resolve, 5));
      await limits.settle(call);
      settled += 1;
    };
    const { store } = fixture({ store: { ...limits, settle } });
    expect((await store(send())).status).toBe(201);
    expect(settled).toBe(1);
    expect(await refused(store(send({ body: 'no share' })))).toEqual([400, 'invalid_body']);
    expect(settled).toBe(2);
  });

  test('a share that cannot be counted, stored or read is refused, and the host gets the reason', async () => {
    const down = new Error('redis://secret is down');
    const fails = () => Promise.reject(down);
    const counts = fixture({ store: { reserve: fails, adjust: fails, settle: fails } });
    expect(await refused(counts.store(send()))).toEqual([503, 'unavailable']);
    expect(counts.events[0]).toEqual({ type: 'failed', error: down });
    const keeps = fixture({ storage: { put: fails, get: fails, remove: fails } });
    const answer = await keeps.store(send());
    expect(answer.status).toBe(503);
    expect(await answer.text()).not.toContain('secret');
    expect(await refused(keeps.store(get('A'.repeat(22))))).toEqual([503, 'unavailable']);
    expect(keeps.events.filter(({ type }) => type === 'failed')).toEqual([
      { type: 'failed', error: down },
      { type: 'failed', error: down },
    ]);
    const taken = fixture({
      storage: { put: async () => false, get: async () => undefined, remove: async () => false },
    });
    expect(await refused(taken.store(send()))).toEqual([503, 'unavailable']);
  });

  test('that is stored after it was refused is removed, because its sender got no key', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    const shares = createMemoryShares();
    const ids: string[] = [];
    const { store } = fixture({
      storage: {
        ...shares,
        async put(id, share) {
          ids.push(id);
          await new Promise((resolve) => setTimeout(resolve, 11_000));
          return shares.put(id, share);
        },
      },
    });
    const answer = store(send());
    await expect.poll(() => ids).toHaveLength(1);
    await vi.advanceTimersByTimeAsync(12_000);
    expect(await refused(answer)).toEqual([503, 'unavailable']);
    await expect.poll(() => shares.get(ids[0]!)).toBeUndefined();
  });

  test('is deleted with the key that only the client which shared it has got', async () => {
    const { store, events } = fixture();
    const { id, deleteKey } = (await (await store(send())).json()) as { id: string; deleteKey: string };
    const headers = { 'x-delete-key': deleteKey, authorization: null };
    const deletes = () => store(send({ method: 'DELETE', url: `${base}/${id}`, body: null, headers }));
    expect((await deletes()).status).toBe(204);
    expect(await refused(store(get(id)))).toEqual([404, 'unknown_share']);
    expect(await refused(deletes())).toEqual([404, 'unknown_share']);
    expect(events.map(({ type }) => type)).toEqual(['put', 'delete', 'get', 'refused', 'refused']);
    expect(JSON.stringify(events)).not.toContain(deleteKey);
  });

  test('a listener cannot stop what it listens to', async () => {
    const { store } = fixture({
      onEvent: () => {
        throw new Error('no');
      },
    });
    expect((await store(send())).status).toBe(201);
  });
});

test.each([
  [{ basePath: 'api' }, 'basePath'],
  [{ basePath: '/api/' }, 'basePath'],
  [{ basePath: '/a/../b' }, 'basePath'],
  [{ limits: { bytes: 1 } }, 'no limit "bytes"'],
  [{ limit: { rpm: 1 } }, 'no "limit". Did you mean limits?'],
  [{ limitStore: {} }, 'no "limitStore". Write store'],
  [{ limits: { rpm: Number.NaN } }, 'limits.rpm'],
  [{ limits: { lifetimeMs: Infinity } }, 'lifetimeMs'],
  [{ limits: { dailyBytes: 1 } }, 'dailyBytes'],
  [{ origins: ['*'] }, 'origins'],
  [{ auth: undefined }, 'auth'],
  [{ auth: 'none' }, 'address'],
])('%o cannot make one', (options, words) => {
  const make = () => createShareStore({ origins: [origin], auth: () => null, ...options } as never);
  expect(make).toThrow(expect.objectContaining({ code: 'invalid_options' }));
  expect(make).toThrow(words);
});

test('another basePath is another place', async () => {
  const { store } = fixture({ basePath: '/s' });
  expect(await refused(store(send({ url: base })))).toEqual([405, 'method_not_allowed']);
  expect((await store(send({ url: `${origin}/s` }))).status).toBe(201);
});
