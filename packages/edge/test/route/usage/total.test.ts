import type { ScriptedTurn } from '@cueline/core/testing';
import { createMemoryLimits, createPromptRoute } from '@cueline/edge';
import { expect, test } from 'vitest';
import { ask as askProxy, fixture, key, refused } from '../../proxy/support.ts';
import { all, client, greet, looks, never, page, post, refusal, testRoute } from '../routes.ts';

const request = { definition: greet, input: { name: 'Ada' } };
const answer = (inputTokens: number, outputTokens = 1): ScriptedTurn => [
  'Hi.',
  { finish: { usage: { inputTokens, outputTokens } } },
];
const prices = { 'simulated:scripted': { input: 10, output: 100 }, 'gpt-x': { input: 10, output: 100 } };

test('all subjects of routes and proxies with one store stay within the total limit of a day', async () => {
  const limitStore = createMemoryLimits();
  const limits = { totalDailyTokens: 60_000 };
  const script = Array.from({ length: 20 }, () => answer(9_999));
  const hubs = [testRoute(script, { limitStore, limits }), testRoute(script, { limitStore, limits })];
  const { proxy } = fixture(() => Response.json({}), { store: limitStore, limits, now: Date.now });
  const outcomes = [];
  for (let at = 0; at < 12; at += 1) {
    const log = await all(client(hubs[at % 2]!, `subject-${at}`).start(request, never())).catch(
      (error: unknown) => [error],
    );
    outcomes.push(log.length > 1 ? 'ran' : (log[0] as { code: string }).code);
  }
  expect(outcomes.filter((outcome) => outcome === 'ran').length).toBeLessThanOrEqual(6);
  expect(outcomes.slice(-3)).not.toContain('ran');
  const response = await hubs[0]!.route(post({ input: {} }));
  expect(response.headers.has('retry-after')).toBe(true);
  expect(await refusal(response)).toMatchObject({ status: 503, code: 'total_exceeded' });
  expect(await refused(proxy(askProxy()))).toEqual({ status: 503, code: 'total_exceeded' });
});

test('cost is limited for each subject and in total', async () => {
  const script = Array.from({ length: 20 }, () => answer(1_000, 90));
  // each run costs 0.019 and reserves up to 0.12 before
  const own = testRoute([...script], { prices, limits: { dailyCost: 0.15, maxOutputTokens: 1_000 } });
  const together = testRoute([...script], {
    prices,
    limits: { totalDailyCost: 0.15, maxOutputTokens: 1_000 },
  });
  for (const [hub, subjects] of [
    [own, ['ada']],
    [together, ['ada', 'bob', 'eve']],
  ] as const) {
    const logs = [];
    for (let at = 0; at < 9; at += 1) {
      const log = await all(client(hub, subjects[at % subjects.length]).start(request, never()));
      logs.push(log.at(-1));
    }
    const done = logs.filter((end) => end?.type === 'run-end' && end.outcome === 'done');
    expect(done.length).toBeGreaterThan(0);
    expect(done.length * 0.019).toBeLessThanOrEqual(0.15);
    expect(logs.at(-1)).toMatchObject({ outcome: 'error', error: { code: 'budget_exceeded' } });
    const cost = hub.events.reduce((sum, event) => sum + (event.type === 'run-end' ? event.cost : 0), 0);
    expect(cost).toBeCloseTo(done.length * 0.019, 10);
  }
  // another subject has a daily limit of its own
  expect((await all(client(own, 'bob').start(request, never()))).at(-1)).toMatchObject({ outcome: 'done' });
});

test('a model without a price is not called if cost is limited', async () => {
  const hub = testRoute([looks], { prices: { other: { input: 1, output: 1 } }, limits: { dailyCost: 5 } });
  const log = await all(client(hub).start(request, never()));
  expect(log.at(-1)).toMatchObject({
    outcome: 'error',
    error: { message: expect.stringContaining("prices: { 'simulated:scripted': { input, output } }") },
  });
  expect(hub.model.calls).toEqual([]);
  const auth = async () => ({ subject: 'ada', dailyCost: 1 });
  const proxied = fixture(undefined, { auth });
  expect(await refused(proxied.proxy(askProxy()))).toEqual({ status: 503, code: 'unavailable' });
  expect(proxied.sent).toEqual([]);
});

test('a proxy reports the cost of a call', async () => {
  const usage = { prompt_tokens: 100, completion_tokens: 10, prompt_tokens_details: { cached_tokens: 60 } };
  const { proxy, events } = fixture(() => Response.json({ choices: [], usage }), {
    prices: { 'openai:gpt-x': { input: 10, cachedInput: 1, output: 100 } },
  });
  await proxy(askProxy());
  expect(events.at(-1)).toMatchObject({
    type: 'end',
    basis: 'reported',
    tokens: { input: 100, output: 10, cachedInput: 60 },
    cost: (40 * 10 + 60 * 1 + 10 * 100) / 1e6,
  });
});

test('invalid prices are reported when the route or the proxy is created', () => {
  const options = { origins: [page], auth: async () => null };
  expect(() => createPromptRoute(greet, { ...options, limits: { dailyCost: 1 } })).toThrow(
    'limits.dailyCost needs prices',
  );
  expect(() => createPromptRoute(greet, { ...options, prices: { x: { input: -1, output: 1 } } })).toThrow(
    'prices["x"] is not a price',
  );
  const providers = { openai: { apiKey: key, models: ['gpt-x', 'gpt-y'] } };
  expect(() => fixture(undefined, { providers, prices, limits: { totalDailyCost: 1 } })).toThrow(
    'openai:gpt-y has none',
  );
});

test.each(['dailyCost', 'totalDailyCost'])(
  "a run that costs more than a whole day's %s says so",
  async (name) => {
    const hub = testRoute([answer(1_000, 90)], { prices, limits: { [name]: 0.01, maxOutputTokens: 1_000 } });
    expect((await all(client(hub).start(request, never()))).at(-1)).toMatchObject({
      error: {
        code: 'budget_exceeded',
        message: expect.stringContaining('for a whole day. Ask for less.'),
        details: { limit: name },
      },
    });
  },
);

test.each<[limit: object, status: number, message: RegExp]>([
  [
    { dailyCost: 0.01 },
    402,
    /^This call could cost up to [\d.]+, more than the 0\.01 of a day\. Ask for a shorter answer\.$/,
  ],
  [{ totalDailyCost: 0.01 }, 503, /^This call could use more than this server may use in a whole day\./],
  [{ totalDailyTokens: 1_000 }, 503, /^This call could use more than this server may use in a whole day\./],
])(
  'a call of a proxy beyond a whole day, %o, says so, and is not to be sent again',
  async (limit, status, text) => {
    const providers = { openai: { apiKey: key, models: ['gpt-x'] } };
    const limits = { ...limit, maxOutputTokens: 1_000 };
    const response = await fixture(undefined, { providers, prices, limits }).proxy(askProxy());
    expect(response.headers.get('retry-after')).toBeNull();
    expect(await refusal(response)).toMatchObject({ status, message: expect.stringMatching(text) });
  },
);

test('a run beyond a whole day of all subjects says so, and is not to be started again', async () => {
  const { route } = testRoute([], { limits: { totalDailyTokens: 1_000 } });
  const response = await route(post({ input: { name: 'Ada' } }));
  expect(response.headers.get('retry-after')).toBeNull();
  expect(await refusal(response)).toMatchObject({
    code: 'total_exceeded',
    message: expect.stringMatching(
      /^Your request may take \d+ tokens .+ this server may use in a whole day\. Send less\.$/,
    ),
  });
});
