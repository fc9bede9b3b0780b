// Stores of an app that answer with something else than they should, or fail while a client reads.
import { createMemoryLimits, createMemoryRuns, type PromptRouteOptions } from '@cueline/edge';
import { expect, test } from 'vitest';
import { ask, post, refusal, testRoute } from './routes.ts';

const limitsThat = (answers: object): PromptRouteOptions['limitStore'] => ({
  ...createMemoryLimits(),
  ...answers,
});

test.each<[what: string, options: Partial<PromptRouteOptions>, message: string]>([
  [
    'create of the store returned undefined',
    { store: { ...createMemoryRuns(), create: async () => undefined as never } },
    "Return 'created', or { runId } of the run that has the key.",
  ],
  [
    'create of the store returned "CREATED"',
    { store: { ...createMemoryRuns(), create: async () => 'CREATED' as never } },
    "Return 'created', or { runId } of the run that has the key.",
  ],
  [
    'find of the store returned null',
    { store: { ...createMemoryRuns(), find: async () => null as never } },
    'Return the id of the run as a string, or undefined if there is none.',
  ],
  [
    'find of the store returned {"runId":"run-1"}',
    { store: { ...createMemoryRuns(), find: async () => ({ runId: 'run-1' }) as never } },
    'Return the id of the run as a string, or undefined if there is none.',
  ],
  [
    'get of the store returned null',
    { store: { ...createMemoryRuns(), find: async () => 'run-1', get: async () => null as never } },
    'Return { subject, endSeq } of the run, or undefined if it is not stored.',
  ],
  [
    'reserve of the limit store returned undefined',
    { limitStore: limitsThat({ reserve: async () => undefined }) },
    'Return { ok: true }, or { ok: false, why, retryAfterMs }.',
  ],
  [
    'reserve of the limit store returned "OK"',
    { limitStore: limitsThat({ reserve: async () => 'OK' }) },
    'Return { ok: true }, or { ok: false, why, retryAfterMs }.',
  ],
])('%s: the operator reads what to return, and nothing starts', async (what, options, advice) => {
  const hub = testRoute(['Never.'], options);
  expect(await refusal(await hub.route(post({ input: {}, key: 'draft-1' })))).toMatchObject({
    status: 503,
    code: 'unavailable',
  });
  expect(hub.events[0]).toEqual({
    type: 'failed',
    error: expect.objectContaining({ code: 'invalid_options', message: `${what}. ${advice}` }),
  });
  expect(hub.model.calls).toEqual([]);
});

test('adjust of the limit store that returns nothing permits no call, and is reported', async () => {
  const limitStore = limitsThat({ adjust: async () => undefined });
  const hub = testRoute(['Never.'], { limitStore, limits: { dailyTokens: 100_000 } });
  expect(await (await hub.route(post({ input: {} }))).text()).toContain('storage_failed');
  expect(hub.model.calls).toEqual([]);
  expect(hub.events).toContainEqual({
    type: 'failed',
    error: expect.objectContaining({
      message:
        'adjust of the limit store returned undefined. Return { ok: true }, or { ok: false, why, retryAfterMs }.',
    }),
  });
});

test('a time to wait that is not a number is not sent', async () => {
  const refused = { ok: false, why: 'rpm', retryAfterMs: NaN };
  const hub = testRoute(['Never.'], { limitStore: limitsThat({ reserve: async () => refused }) });
  const response = await hub.route(post({ input: {} }));
  expect(response.status).toBe(429);
  expect(response.headers.has('retry-after')).toBe(false);
});

test('a store that fails while a client reads a run of another instance is reported with the run', async () => {
  const error = new Error('ECONNREFUSED redis:6379');
  const store = {
    ...createMemoryRuns(),
    get: async () => ({ subject: 'ada', endSeq: undefined }),
    read: () => {
      throw error;
    },
  };
  const hub = testRoute([], { store });
  const response = await hub.route(ask('GET', '?run=run-1'));
  await expect(response.text()).rejects.toThrow();
  expect(hub.events).toEqual([{ type: 'failed', error, runId: 'run-1' }]);
});

const batchAdvice =
  'Yield { first, items, ended } as append got it: the number of the first event, a list of texts, and whether run-end is among them.';

test.each<[what: string, read: () => unknown, advice: string]>([
  [
    'yielded {"events":[]}',
    async function* () {
      yield { events: [] };
    },
    batchAdvice,
  ],
  [
    'yielded {"first":0,"items":[{"seq":0}],"ended":false}',
    async function* () {
      yield { first: 0, items: [{ seq: 0 }], ended: false };
    },
    batchAdvice,
  ],
  [
    'yielded undefined',
    async function* () {
      yield undefined;
    },
    batchAdvice,
  ],
  [
    'returned undefined',
    () => undefined,
    'Return an async iterable, such as what an async generator returns.',
  ],
])('read of a store that has %s: the operator reads what to return', async (what, read, advice) => {
  const store = { ...createMemoryRuns(), get: async () => ({ subject: 'ada' }), read: read as never };
  const hub = testRoute([], { store });
  const response = await hub.route(ask('GET', '?run=run-1'));
  await expect(response.text()).rejects.toThrow();
  expect(hub.events).toEqual([
    {
      type: 'failed',
      error: expect.objectContaining({
        code: 'invalid_options',
        message: `read of the store ${what}. ${advice}`,
      }),
      runId: 'run-1',
    },
  ]);
});

test('messages of a store that returns nothing is reported, and the run continues', async () => {
  const hub = testRoute(['Hello.'], { store: { ...createMemoryRuns(), messages: () => undefined as never } });
  expect(await (await hub.route(post({ input: {} }))).text()).toContain('"outcome":"done"');
  expect(hub.events).toContainEqual({
    type: 'failed',
    error: expect.objectContaining({
      message:
        'messages of the store returned undefined. Return an async iterable, such as what an async generator returns.',
    }),
    runId: expect.any(String),
  });
});
