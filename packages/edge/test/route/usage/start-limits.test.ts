import { createRun, definePrompt } from '@cueline/core';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { request } from '../greet-request.ts';
import {
  all,
  ask,
  client,
  endless,
  greet,
  idOf,
  looks,
  never,
  post,
  readTo,
  refusal,
  testRoute,
} from '../routes.ts';

afterEach(() => void vi.useRealTimers());

describe('limits', () => {
  test('allow a number of simultaneous runs for each subject, and one more after another has ended', async () => {
    const hub = testRoute([endless, endless, 'Bob.', 'Done.'], { limits: { concurrent: 2 } });
    const ids = [];
    for (const _ of [1, 2]) ids.push(idOf(await readTo(client(hub).start(request, never()), 'text-delta')));
    const third = await hub.route(post({ input: {} }));
    expect(third.headers.get('retry-after')).toBe('1');
    expect(await refusal(third)).toMatchObject({ status: 429, code: 'too_many_at_once' });
    expect((await all(client(hub, 'bob').start(request, never()))).at(-1)).toMatchObject({ outcome: 'done' });
    await hub.route(ask('DELETE', `?run=${ids[0]}`));
    await expect.poll(() => hub.events.filter(({ type }) => type === 'run-end').length).toBe(2);
    expect((await all(client(hub).start(request, never()))).at(-1)).toMatchObject({ outcome: 'done' });
    await hub.route(ask('DELETE', `?run=${ids[1]}`));
  });

  test('allow a number of starts a minute, and count the same key once', async () => {
    const hub = testRoute(['One.', 'Two.'], { limits: { rpm: 2 } });
    for (const key of ['a', 'a', 'a', 'b', 'b']) await all(client(hub).start({ ...request, key }, never()));
    expect(await refusal(await hub.route(post({ input: {} })))).toMatchObject({
      status: 429,
      code: 'rate_limited',
    });
    const run = createRun(greet, { executor: client(hub) });
    await expect(run.start({ name: 'Ada' })).rejects.toMatchObject({
      code: 'rate_limited',
      message: 'You have reached the limit of 2 runs per minute. Wait a little, and start the run again.',
    });
  });

  test('count two simultaneous starts with one key once', async () => {
    const hub = testRoute([looks, 'Hi.'], { limits: { concurrent: 1 } });
    const both = await Promise.all(
      [1, 2].map(() => all(client(hub).start({ ...request, key: 'k' }, never()))),
    );
    expect(both[1]).toEqual(both[0]);
  });

  test('count the tokens that runs have used in a day', async () => {
    const usage = { finish: { usage: { inputTokens: 6_000, outputTokens: 4_000 } } };
    const hub = testRoute(
      [
        ['One.', usage],
        ['Two.', usage],
      ],
      { auth: async () => ({ subject: 'ada', dailyTokens: 21_000 }) },
    );
    for (const _ of [1, 2]) await all(client(hub).start(request, never()));
    expect(await refusal(await hub.route(post({ input: {} })))).toMatchObject({
      status: 402,
      code: 'budget_exceeded',
    });
    const used = hub.events.flatMap((event) => (event.type === 'run-end' ? event.tokens : []));
    expect(used).toEqual([10_000, 10_000]);
  });

  test('end a run after its time limit', async () => {
    const hub = testRoute([endless], { limits: { runMs: 60 } });
    const log = await all(client(hub).start(request, never()));
    expect(log.at(-1)).toMatchObject({
      type: 'run-end',
      outcome: 'error',
      error: {
        code: 'timeout',
        message: 'The run took longer than the 0.06 s allowed here, so it was ended.',
      },
    });
    expect(hub.model.calls[0]?.abortSignal?.aborted).toBe(true);
  });

  test('end a run that does not begin', async () => {
    const hanging = definePrompt('hanging', () => new Promise<void>(() => {}));
    const hub = testRoute([], { definition: hanging, limits: { runMs: 30 } });
    const log = await all(client(hub).start({ definition: hanging, input: undefined }, never()));
    expect(log).toMatchObject([{ type: 'run-start' }, { type: 'run-end', error: { code: 'timeout' } }]);
  });

  test('apply to every run, and a client can only lower them', async () => {
    const hub = testRoute([looks, looks, looks, looks, looks], {
      limits: { steps: 2 },
      accept: ({ options }) => ({ options: options as never }),
    });
    for (const [limits, allowed] of [
      [{}, 2],
      [{ steps: 1e9 }, 2],
      [{ steps: 1 }, 1],
    ] as const) {
      const log = await all(client(hub).start({ ...request, options: { limits } }, never()));
      expect(log.at(-1)).toMatchObject({
        outcome: 'error',
        error: { code: 'budget_exceeded', details: { limit: 'steps', allowed } },
      });
    }
  });

  test('apply to the options of runs', async () => {
    const hub = testRoute([looks, looks], {
      options: { limits: { steps: 1 } },
      accept: ({ options }) => ({ options: options as never }),
    });
    const log = await all(client(hub).start({ ...request, options: { limits: { steps: 9 } } }, never()));
    expect(log.at(-1)).toMatchObject({ error: { details: { limit: 'steps', allowed: 1 } } });
  });

  test('allow a number of requests a minute for each subject, of any kind', async () => {
    vi.useFakeTimers();
    const hub = testRoute([], { limits: { requests: 3 } });
    const bob = { authorization: 'Bearer bob' };
    const all = [
      ask('GET', '?run=run-1'),
      ask('DELETE', '?run=run-1'),
      post({ prompt: 'other' }, '?run=run-1'),
    ];
    for (const given of all) expect((await hub.route(given)).status).toBeLessThan(429);
    const fourth = await hub.route(ask('GET', '?run=run-1'));
    expect(fourth.headers.get('retry-after')).toBe('20');
    expect(await refusal(fourth)).toMatchObject({ status: 429, code: 'rate_limited' });
    expect((await hub.route(ask('GET', '?run=run-1', bob))).status).toBe(404);
    // one after another again, and not all at once
    await vi.advanceTimersByTimeAsync(20_000);
    expect((await hub.route(ask('GET', '?run=run-1'))).status).toBe(404);
    expect((await hub.route(ask('GET', '?run=run-1'))).status).toBe(429);
    await vi.advanceTimersByTimeAsync(60_000);
    for (const _ of [1, 2, 3]) expect((await hub.route(ask('GET', '?run=run-1'))).status).toBe(404);
  });

  test('allow a number of simultaneous answers for each subject and run', async () => {
    const hub = testRoute([endless, endless], { limits: { streams: 4, streamsPerRun: 2 } });
    const first = await hub.route(post({ input: {} }));
    const runId = first.headers.get('x-cueline-run');
    const back = () => hub.route(ask('GET', `?run=${runId}`));
    const second = await back();
    const third = await back();
    expect(third.headers.get('retry-after')).toBe('1');
    expect(await refusal(third)).toMatchObject({ status: 429, code: 'too_many_at_once' });
    await second.body?.cancel();
    const again = await back();
    expect(again.status).toBe(200);
    const others = await Promise.all([1, 2].map(() => hub.route(post({ messages: [], id: 'c' }))));
    expect(others.map(({ status }) => status)).toEqual([200, 200]);
    const begun = hub.events.filter(({ type }) => type === 'run-start').length;
    for (const body of [{ input: {} }, { messages: [] }]) {
      expect(await refusal(await hub.route(post(body)))).toMatchObject({ code: 'too_many_at_once' });
    }
    // and nothing was begun for it
    expect(hub.events.filter(({ type }) => type === 'run-start')).toHaveLength(begun);
    expect((await hub.route(post({ input: {} }, '', { authorization: 'Bearer bob' }))).status).toBe(200);
    await hub.route(ask('DELETE', `?run=${runId}`));
    // with its end they are over
    await Promise.all([first.text(), again.text()]);
    expect((await hub.route(ask('GET', `?run=${runId}`))).status).toBe(200);
    expect((await hub.route(ask('GET', `?run=${runId}&after=1`))).status).toBe(200);
  });

  test('release the slot of an answer that is not read', async () => {
    const hub = testRoute(['Hi.', 'Hi.'], { limits: { streams: 1, runMs: 100, replayMs: 50 } });
    expect((await hub.route(post({ input: {} }))).status).toBe(200);
    expect((await hub.route(post({ input: {} }))).status).toBe(429);
    await new Promise((resolve) => setTimeout(resolve, 200));
    expect((await hub.route(post({ input: {} }))).status).toBe(200);
  });

  test('refuse a command with too many bytes', async () => {
    const limits = { commandBytes: 16 << 10 };
    const hub = testRoute([endless], { limits });
    const runId = idOf(await readTo(client(hub).start(request, never()), 'text-delta'));
    const edit = { type: 'add', title: 'x'.repeat(512 << 10) };
    const tell = vi.spyOn(hub.store, 'send');
    for (const route of [hub.route, testRoute([], { store: hub.store, limits }).route]) {
      expect((await route(post({ type: 'edit', edit }, `?run=${runId}`))).status).toBe(413);
    }
    expect(tell).not.toHaveBeenCalled();
    await hub.route(ask('DELETE', `?run=${runId}`));
  });

  test('refuse a body with too many bytes', async () => {
    const { route } = testRoute(['Hi.'], { limits: { bodyBytes: 30 } });
    expect((await route(post({ input: { name: 'A'.repeat(30) } }))).status).toBe(413);
    const taken = await route(post({ input: { name: 'A' } }));
    expect(taken.status).toBe(200);
    await taken.text();
  });
});
