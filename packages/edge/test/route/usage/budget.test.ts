import type { ScriptedTurn } from '@cueline/core/testing';
import { createMemoryLimits, type Reservation, type Reserved } from '@cueline/edge';
import { afterEach, expect, test, vi } from 'vitest';
import type { RouteSettings } from '../../../src/route/settings.ts';
import { promptSize } from '../../../src/route/usage/prompt-size.ts';
import { createRunBudget } from '../../../src/route/usage/run-budget.ts';
import {
  all,
  ask,
  client,
  endless,
  greet,
  never,
  post,
  refusal,
  testRoute,
  type TestRoute,
} from '../routes.ts';

afterEach(() => void vi.useRealTimers());

const request = { definition: greet, input: { name: 'Ada' } };
/** A call that costs as many tokens, with arguments of its own: the same again would be answered from the first. */
const costing = (tokens: number, at: number): ScriptedTurn => [
  { toolCall: { name: 'look', input: { at: String(at) } } },
  { finish: { usage: { inputTokens: tokens - 1, outputTokens: 1 } } },
];
const answer = (tokens: number): ScriptedTurn => [
  'Hi.',
  { finish: { usage: { inputTokens: tokens - 1, outputTokens: 1 } } },
];
const usedBy = ({ events: told }: TestRoute) =>
  told.flatMap((event) => (event.type === 'run-end' ? event.tokens : []));

/** Limits that note what is set aside: for runs as they begin, and for all that their calls may use. */
function noted() {
  const limitStore = createMemoryLimits();
  const calls: Reservation[] = [];
  const set: number[] = [];
  const reserve: typeof limitStore.reserve = (call) => {
    calls.push(call);
    return limitStore.reserve(call);
  };
  const adjust: typeof limitStore.adjust = async (call) => {
    const answer = await limitStore.adjust(call);
    if (answer.ok) set.push(call.tokens);
    return answer;
  };
  return { calls, set, limitStore: { ...limitStore, reserve, adjust } };
}

/** As many bytes as its first call sends, with its tools. */
function promptBytes({ model }: TestRoute): number {
  return promptSize(model.calls[0]!).bytes;
}

test('concurrent runs use no more than the rest of the daily budget', async () => {
  const hub = testRoute(
    Array.from({ length: 100 }, (_, at) => costing(900, at)),
    {
      limits: { rpm: 100, concurrent: 10, maxOutputTokens: 4_000 },
      auth: async () => ({ subject: 'ada', dailyTokens: 24_000 }),
    },
  );
  const logs = await Promise.all(
    Array.from({ length: 8 }, () =>
      all(client(hub).start(request, never())).catch((error: unknown) => [error]),
    ),
  );
  // each began with 2,029 tokens set aside
  expect(logs.filter((log) => log.length > 1)).toHaveLength(8);
  const used = usedBy(hub).reduce((sum, tokens) => sum + tokens, 0);
  expect([used > 9_000, used <= 24_000]).toEqual([true, true]);
  for (const log of logs) {
    expect(log.at(-1)).toMatchObject({
      error: { code: 'budget_exceeded', details: { limit: 'dailyTokens' } },
    });
  }
});

test('with little budget left, a call gets a shorter answer, and then none', async () => {
  const { set, limitStore } = noted();
  const hub = testRoute([answer(30_000), answer(6_000), answer(1_000), answer(10)], {
    limitStore,
    limits: { dailyTokens: 40_000 },
  });
  for (let run = 0; run < 3; run += 1) await all(client(hub).start(request, never()));
  // 16,384 at first, and half of it, and so on
  expect(hub.model.calls.map(({ maxOutputTokens }) => maxOutputTokens)).toEqual([16_384, 8_192, 2_048]);
  expect(await refusal(await hub.route(post({ input: { name: 'x'.repeat(4_000) } })))).toMatchObject({
    status: 402,
    code: 'budget_exceeded',
  });
  const [first = 0] = set;
  expect(first).toBe(hub.model.calls[0]!.maxOutputTokens! + 1_000 + promptBytes(hub));
  // once a call has ended, only what it has used stays set aside
  expect(set).toContain(30_000);
});

test.each([
  ['less than the route allows', 300, 300],
  ['more than the route allows', 5_000, 600],
  ['nothing', undefined, 600],
])('a call that requests %s gets an answer of the right length', async (_, asked, given) => {
  const hub = testRoute([answer(10)], {
    limits: { maxOutputTokens: 600 },
    ...(asked === undefined ? {} : { options: { maxOutputTokens: asked } }),
  });
  await all(client(hub).start(request, never()));
  expect(hub.model.calls.map(({ maxOutputTokens }) => maxOutputTokens)).toEqual([given]);
});

test('without a limit no call is refused, and its use is still counted', async () => {
  const { calls, set, limitStore } = noted();
  const hub = testRoute([answer(900_000)], { limitStore });
  expect((await all(client(hub).start(request, never()))).at(-1)).toMatchObject({ outcome: 'done' });
  expect(calls).toMatchObject([{ dailyTokens: Infinity, totalDailyTokens: Infinity }]);
  expect(set[0]).toBeGreaterThan(16_384);
});

test('an endless answer is cut off once the tokens of its run are used up', async () => {
  const words = Array.from({ length: 100_000 }, () => ({ text: 'word word word ', chunkSize: 1_000 }));
  const hub = testRoute([words], { limits: { tokens: 200 } });
  const log = await all(client(hub).start(request, never()));
  expect(log.at(-1)).toMatchObject({
    outcome: 'error',
    error: {
      code: 'budget_exceeded',
      message: 'The run has used the 200 tokens that it may use here.',
      details: { limit: 'tokens', allowed: 200 },
    },
  });
  expect(log.length).toBeLessThan(1_000);
  expect(hub.model.calls[0]?.abortSignal?.aborted).toBe(true);
});

test('a provider that reports no tokens is still charged', async () => {
  const silent = Array.from({ length: 40 }, (_, at): ScriptedTurn => [
    { toolCall: { name: 'look', input: { at: `${at}`.repeat(400) } } },
    { finish: { usage: { inputTokens: 0, outputTokens: 0 } } },
  ]);
  const hub = testRoute(silent, { limits: { tokens: 2_000 } });
  const log = await all(client(hub).start(request, never()));
  expect(log.at(-1)).toMatchObject({ error: { code: 'budget_exceeded', details: { limit: 'tokens' } } });
  expect(hub.model.calls.length).toBeLessThan(20);
});

test.each<[string, (reserve: () => Promise<Reserved>) => Promise<Reserved>]>([
  [
    'that is late',
    async (reservation) => {
      await new Promise((resolve) => setTimeout(resolve, 11_000));
      return reservation();
    },
  ],
  [
    'whose answer gets lost',
    async (reservation) => {
      await reservation();
      throw new Error('The connection was closed.');
    },
  ],
])('a reservation %s is released', async (_, disturb) => {
  vi.useFakeTimers();
  const limitStore = createMemoryLimits();
  const reserve: typeof limitStore.reserve = (call) => disturb(() => limitStore.reserve(call));
  const late = testRoute(['Never.'], { limitStore: { ...limitStore, reserve } });
  const response = late.route(post({ input: {} }));
  await vi.advanceTimersByTimeAsync(12_000);
  expect((await response).status).toBe(503);
  const place = {
    subject: 'ada',
    id: 'next',
    tokens: 0,
    rpm: 9,
    concurrent: 1,
    dailyTokens: 9,
    leaseMs: 9,
  };
  expect(await limitStore.reserve(place)).toEqual({ ok: true });
});

test('usage that could not be counted at the end of a run is counted once the store is back', async () => {
  const limitStore = createMemoryLimits();
  let failures = 0;
  const settle: typeof limitStore.settle = async (call) => {
    if ((failures += 1) < 3) throw new Error('away');
    await limitStore.settle(call);
  };
  const hub = testRoute([answer(30), answer(30)], {
    limitStore: { ...limitStore, settle },
    limits: { concurrent: 1, dailyTokens: 100_000 },
  });
  await all(client(hub).start(request, never()));
  expect(await refusal(await hub.route(post({ input: {} })))).toMatchObject({ code: 'too_many_at_once' });
  await expect.poll(() => failures).toBe(3);
  await all(client(hub).start(request, never()));
  expect(hub.events.filter(({ type }) => type === 'failed')).toHaveLength(1);
});

test('a store that is away for most of a minute is awaited, but not forever', async () => {
  vi.useFakeTimers();
  const settle = vi.fn<() => Promise<void>>().mockRejectedValue(new Error('away'));
  const report = vi.fn<() => void>();
  const limitStore = { ...createMemoryLimits(), settle };
  const settings = { limitStore, report, rpm: 9, concurrent: 9, runMs: 1_000 };
  const budget = createRunBudget(settings as unknown as RouteSettings, (ask) => ask());
  void budget.settle('ada', 'run-1', { tokens: 30, cost: 0 });
  await vi.advanceTimersByTimeAsync(45_000);
  settle.mockResolvedValueOnce();
  const tries = settle.mock.calls.length;
  await vi.advanceTimersByTimeAsync(600_000);
  expect(settle).toHaveBeenCalledTimes(tries + 1);
  expect(settle).toHaveBeenLastCalledWith({ subject: 'ada', id: 'run-1', tokens: 30, cost: 0 });
  const forNothing = budget.settle('ada', 'run-2', { tokens: 30, cost: 0 });
  await vi.advanceTimersByTimeAsync(600_000);
  await forNothing;
  expect(report).toHaveBeenCalledTimes(2);
});

test.each([
  ['as input', { input: { name: 'ä'.repeat(2_000) } }],
  [
    'as messages',
    { messages: [{ id: 'u', role: 'user', parts: [{ type: 'text', text: 'w'.repeat(4_000) }] }] },
  ],
  ['as tasks', { tasks: [{ id: 't', title: 'w'.repeat(4_000), status: 'pending', origin: 'user' }] }],
])('tokens that a client sends %s are reserved before any model call, or refused', async (_, sent) => {
  const { calls, limitStore } = noted();
  const hub = testRoute([answer(1_300), answer(1_300)], {
    limitStore,
    limits: { dailyTokens: 6_000, maxOutputTokens: 100 },
  });
  const three = await Promise.all([1, 2, 3].map(() => hub.route(post({ input: {}, ...sent }))));
  const [least = 0] = calls.map(({ tokens }) => tokens);
  expect([least >= 2_100, least < 2_150]).toEqual([true, true]);
  expect(three.map(({ status }) => status)).toEqual([200, 200, 402]);
  expect(await refusal(three[2]!)).toEqual({
    status: 402,
    code: 'budget_exceeded',
    message: `Your request may take ${least} tokens with its answer, more than is left of today's 6000. Try again once your runs in progress have ended.`,
  });
  expect(three[2]!.headers.has('retry-after')).toBe(true);
  await Promise.all(three.slice(0, 2).map((response) => response.text()));
});

test('a request beyond the budget of the day or the run is refused without a reservation', async () => {
  const { calls, limitStore } = noted();
  const body = { input: { name: 'w'.repeat(1_000_000) } };
  const inputBytes = 1 << 20;
  const day = testRoute([], { limitStore, limits: { dailyTokens: 1_000, inputBytes } });
  const answers = await Promise.all([1, 2, 3, 4].map(() => day.route(post(body))));
  const run = testRoute([], { limitStore, limits: { tokens: 2_000, inputBytes } });
  answers.push(await run.route(post(body)));
  expect(await Promise.all(answers.map(refusal))).toEqual(
    [
      ...Array.from(
        { length: 4 },
        () =>
          'Your request may take 252028 tokens with its answer, more than the 1000 that you may use in a whole day. Send less.',
      ),
      'Your request has about 250004 tokens, more than the 2000 that a run may use here. Send less.',
    ].map((message) => ({ status: 402, code: 'budget_exceeded', message })),
  );
  expect(answers.filter(({ headers }) => headers.has('retry-after'))).toEqual([]);
  expect([calls, day.model.calls, run.model.calls]).toEqual([[], [], []]);
});

test('a run whose next call waits only for calls in progress does not say to come back tomorrow', async () => {
  const limits = { dailyTokens: 5_000, maxOutputTokens: 1_000 };
  // the first run holds most of the day until its call has ended
  const hub = testRoute([endless, endless], { limits });
  const first = await hub.route(post({ input: {} }));
  await expect.poll(() => hub.model.calls).toHaveLength(1);
  const second = await hub.route(post({ input: { name: 'w'.repeat(400) } }));
  const text = await second.text();
  expect(text).toContain('more than is left of your limit for today. Try again once other calls in progress');
  await hub.route(ask('DELETE', `?run=${first.headers.get('x-cueline-run')}`));
});

test.each(['image/png', 'application/pdf', 'audio/wav', 'text/plain'])(
  'a file counts as its lowest cost, and a text file as its length: %s',
  async (mediaType) => {
    for (const steers of [false, true]) {
      const { calls, limitStore } = noted();
      const hub = testRoute([answer(10)], { limitStore, limits: { dailyTokens: 200_000, tokens: 1_400 } });
      const file = { type: 'file', mediaType, url: `data:${mediaType};base64,${'A'.repeat(20_000)}` };
      const parts = steers ? [{ type: 'steering-message', id: 's', parts: [file] }] : [file];
      const messages = [{ id: 'u', role: 'user', parts }];
      const { message } = await refusal(await hub.route(post({ input: {}, messages })));
      expect(Number(/about (\d+) tokens/.exec(message)?.[1])).toSatisfy((tokens: number) =>
        mediaType === 'text/plain' ? tokens > 5_000 && tokens < 5_100 : tokens > 1_500 && tokens < 1_550,
      );
      expect(calls).toEqual([]);
    }
  },
);
