import { createMemoryLimits, type Reservation } from '@cueline/edge';
import type { ScriptedTurn } from '@cueline/core/testing';
import { expect, test, vi } from 'vitest';
import { createRunBudget } from '../../src/route/run-budget.ts';
import type { RouteSettings } from '../../src/route/settings.ts';
import { address, all, client, greet, never, post, refusal, testRoute, type TestRoute } from './routes.ts';

const request = { definition: greet, input: { name: 'Ada' } };
/** A call that costs as many tokens, with arguments of its own: the same again would be answered from the first. */
const costing = (tokens: number, at: number): ScriptedTurn => [
  { toolCall: { name: 'look', input: { at: String(at) } } },
  { finish: { usage: { inputTokens: tokens - 1, outputTokens: 1 } } },
];
const steps = (tokens: number, count: number) =>
  Array.from({ length: count }, (_, at) => costing(tokens, at));
const answer = (tokens: number): ScriptedTurn => [
  'Hi.',
  { finish: { usage: { inputTokens: tokens - 1, outputTokens: 1 } } },
];
const usedBy = ({ told }: TestRoute) =>
  told.flatMap((event) => (event.type === 'run-end' ? event.tokens : []));

/** Limits that note what is set aside. */
function noted() {
  const limitStore = createMemoryLimits();
  const calls: Reservation[] = [];
  const reserve: typeof limitStore.reserve = (call) => {
    calls.push(call);
    return limitStore.reserve(call);
  };
  return { calls, limitStore: { ...limitStore, reserve } };
}

test('runs at once take no more of the day than there is, but for the last step of each', async () => {
  const hub = testRoute(steps(90, 100), {
    limits: { rpm: 100, concurrent: 10 },
    auth: async () => ({ subject: 'ada', dailyTokens: 1_000 }),
  });
  const logs = await Promise.all(
    Array.from({ length: 8 }, () =>
      all(client(hub).start(request, never())).catch((error: unknown) => [error]),
    ),
  );
  const began = logs.filter((log) => log.length > 1);
  expect(began).toHaveLength(4);
  for (const log of began) {
    expect(log.at(-1)).toMatchObject({ error: { code: 'budget_exceeded', details: { allowed: 250 } } });
  }
  // three steps of 90 are the first to be more than 250
  expect(usedBy(hub)).toEqual([270, 270, 270, 270]);
  expect(logs.filter((log) => log.length === 1)).toEqual(
    Array.from({ length: 4 }, () => [expect.objectContaining({ code: 'budget_exceeded' })]),
  );
});

test.each([
  ['of the subject', { auth: async () => ({ subject: 'ada', dailyTokens: 1_000 }) }],
  ['of the route', { limits: { dailyTokens: 1_000 } }],
])('a budget %s is used to its end, in smaller parts', async (_, options) => {
  const { calls, limitStore } = noted();
  const hub = testRoute([answer(700), answer(150), answer(90), answer(35)], {
    ...options,
    limitStore,
  });
  for (let run = 0; run < 4; run += 1) await all(client(hub).start(request, never()));
  expect(await refusal(await hub.route(post({ input: {} })))).toMatchObject({ status: 402 });
  expect(calls.map(({ tokens }) => tokens)).toEqual([250, 250, 250, 125, 250, 125, 62, 31, 250, 125, 62, 31]);
});

test('a run may use what its limit says, and no more than there is in a day', async () => {
  const { calls, limitStore } = noted();
  const hub = testRoute([answer(10), answer(10), answer(10)], {
    limitStore,
    limits: { tokens: 600, dailyTokens: 1_000 },
    accept: ({ options }) => ({ options: options as never }),
  });
  for (const tokens of [300, 5_000])
    await all(client(hub).start({ ...request, options: { limits: { tokens } } }, never()));
  expect(calls.map(({ tokens }) => tokens)).toEqual([300, 600]);
  const small = noted();
  const other = testRoute([answer(10)], {
    limitStore: small.limitStore,
    limits: { tokens: 600, dailyTokens: 100 },
  });
  await all(client(other).start(request, never()));
  expect(small.calls.map(({ tokens }) => tokens)).toEqual([100]);
});

test('without a budget a run sets nothing aside, and has no limit', async () => {
  const { calls, limitStore } = noted();
  const hub = testRoute([answer(900_000)], { limitStore });
  expect((await all(client(hub).start(request, never()))).at(-1)).toMatchObject({ outcome: 'done' });
  expect(calls).toMatchObject([{ tokens: 0, dailyTokens: Infinity }]);
});

test('an answer without end is cut off where the tokens of its run are used up', async () => {
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

test('a provider that reports no tokens gives none away', async () => {
  const silent = Array.from({ length: 40 }, (_, at): ScriptedTurn => [
    { toolCall: { name: 'look', input: { at: `${at}`.repeat(400) } } },
    { finish: { usage: { inputTokens: 0, outputTokens: 0 } } },
  ]);
  const hub = testRoute(silent, { limits: { tokens: 2_000 } });
  const log = await all(client(hub).start(request, never()));
  expect(log.at(-1)).toMatchObject({ error: { code: 'budget_exceeded', details: { limit: 'tokens' } } });
  expect(hub.model.calls.length).toBeLessThan(20);
});

test('a place that is given too late is given back', async () => {
  vi.useFakeTimers();
  try {
    const limitStore = createMemoryLimits();
    const reserve: typeof limitStore.reserve = async (call) => {
      await new Promise((resolve) => setTimeout(resolve, 11_000));
      return limitStore.reserve(call);
    };
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
  } finally {
    vi.useRealTimers();
  }
});

test('what a run has used is counted where the store is away at its end, and comes back', async () => {
  const limitStore = createMemoryLimits();
  let failures = 0;
  const settle: typeof limitStore.settle = async (call) => {
    if ((failures += 1) < 3) throw new Error('away');
    await limitStore.settle(call);
  };
  const hub = testRoute([answer(30), answer(30)], {
    limitStore: { ...limitStore, settle },
    limits: { concurrent: 1, dailyTokens: 1_000 },
  });
  await all(client(hub).start(request, never()));
  expect(await refusal(await hub.route(post({ input: {} })))).toMatchObject({ code: 'too_many_at_once' });
  await vi.waitFor(() => expect(failures).toBe(3), 5_000);
  await all(client(hub).start(request, never()));
  expect(hub.told.filter(({ type }) => type === 'failed')).toHaveLength(1);
});

test('a store that is away for most of a minute is waited for, and one that stays away is not for ever', async () => {
  vi.useFakeTimers();
  try {
    const settle = vi.fn<() => Promise<void>>().mockRejectedValue(new Error('away'));
    const report = vi.fn<() => void>();
    const limitStore = { ...createMemoryLimits(), settle };
    const settings = { limitStore, report, rpm: 9, concurrent: 9, runMs: 1_000 };
    const budget = createRunBudget(settings as unknown as RouteSettings, (ask) => ask());
    void budget.settle('ada', 'run-1', 30);
    await vi.advanceTimersByTimeAsync(45_000);
    settle.mockResolvedValueOnce();
    const tries = settle.mock.calls.length;
    await vi.advanceTimersByTimeAsync(600_000);
    expect(settle).toHaveBeenCalledTimes(tries + 1);
    expect(settle).toHaveBeenLastCalledWith({ subject: 'ada', id: 'run-1', tokens: 30 });
    const forNothing = budget.settle('ada', 'run-2', 30);
    await vi.advanceTimersByTimeAsync(600_000);
    await forNothing;
    expect(report).toHaveBeenCalledTimes(2);
  } finally {
    vi.useRealTimers();
  }
});

test('a picture in a step that was cut off counts as one, however large its file', async () => {
  const url = `data:image/png;base64,${'A'.repeat(700_000)}`;
  const hub = testRoute([[{ text: 'Hm.' }, { delay: 60_000 }]]);
  const parts = [{ type: 'file', mediaType: 'image/png', url }];
  const response = await hub.route(post({ input: {}, messages: [{ id: 'u', role: 'user', parts }] }));
  await expect.poll(() => hub.model.calls.length).toBe(1);
  const query = `?run=${response.headers.get('x-cueline-run')}`;
  await hub.route(
    new Request(`${address}${query}`, { method: 'DELETE', headers: { authorization: 'Bearer ada' } }),
  );
  await response.text();
  await expect.poll(() => usedBy(hub)).toHaveLength(1);
  const [tokens = 0] = usedBy(hub);
  expect([tokens > 12_000, tokens < 13_000]).toEqual([true, true]);
});

test.each([
  ['as input', { input: { name: 'ä'.repeat(2_000) } }],
  [
    'as messages',
    { messages: [{ id: 'u', role: 'user', parts: [{ type: 'text', text: 'w'.repeat(4_000) }] }] },
  ],
  ['as tasks', { tasks: [{ id: 't', title: 'w'.repeat(4_000), status: 'pending', origin: 'user' }] }],
])('what a client sends %s is set aside before anything is asked, or refused', async (_, sent) => {
  const { calls, limitStore } = noted();
  const hub = testRoute([answer(1_300), answer(1_300)], { limitStore, limits: { dailyTokens: 2_000 } });
  const both = await Promise.all([1, 2].map(() => hub.route(post({ input: {}, ...sent }))));
  const [least = 0] = calls.map(({ tokens }) => tokens);
  expect([least >= 1_000, least < 1_050]).toEqual([true, true]);
  expect(both.map(({ status }) => status)).toEqual([200, 402]);
  expect(await refusal(both[1]!)).toEqual({
    status: 402,
    code: 'budget_exceeded',
    message: `What you send is about ${least} tokens, more than is left of today's 2000.`,
  });
  expect(both[1]!.headers.has('retry-after')).toBe(true);
  await both[0]!.text();
  expect(hub.model.calls).toHaveLength(1);
});

test('what is more than a day has, or a run may use, is refused without asking for it', async () => {
  const { calls, limitStore } = noted();
  const body = { input: { name: 'w'.repeat(1_000_000) } };
  const day = testRoute([], { limitStore, limits: { dailyTokens: 1_000 } });
  const answers = await Promise.all([1, 2, 3, 4].map(() => day.route(post(body))));
  const run = testRoute([], { limitStore, limits: { tokens: 2_000 } });
  answers.push(await run.route(post(body)));
  expect(await Promise.all(answers.map(refusal))).toEqual(
    [...Array.from({ length: 4 }, () => "is left of today's 1000"), 'the 2000 that a run may use here'].map(
      (left) => ({
        status: 402,
        code: 'budget_exceeded',
        message: `What you send is about 250004 tokens, more than ${left}.`,
      }),
    ),
  );
  expect(answers.filter(({ headers }) => headers.has('retry-after'))).toEqual([]);
  expect([calls, day.model.calls, run.model.calls]).toEqual([[], [], []]);
});

test.each(['image/png', 'application/pdf', 'audio/wav', 'text/plain'])(
  'a file counts as little as it can cost, one of text as its length: %s',
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
