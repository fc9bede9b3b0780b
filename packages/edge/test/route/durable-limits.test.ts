import type { RunEvent } from '@cueline/core';
import { createMemoryStore } from '@cueline/durable';
import { createMemoryLimits, createRunGuard, type PromptRouteOptions, type RunGuard } from '@cueline/edge';
import { describe, expect, test } from 'vitest';
import {
  approve,
  createSite,
  endOf,
  endedOf,
  heavy,
  looks,
  runIdOf,
  says,
  sends,
  start,
  usedBy,
} from './durable-desk.ts';
import { createServer, type Server } from './durable-server.ts';
import { never, page, post, readTo, refusal } from './routes.ts';

describe('the limits of durable runs', () => {
  test('two workers count in one store: a call that the day has no room for ends its run, and no other begins', async () => {
    const limitStore = createMemoryLimits();
    const limits = { dailyTokens: 6_500, maxOutputTokens: 1_500 };
    const store = createMemoryStore();
    const site = createSite([heavy, heavy, heavy]);
    const guards = [createRunGuard({ limits, limitStore }), createRunGuard({ limits, limitStore })];
    const [first, second] = guards.map((guard) => createServer(site, store, { guard })) as [Server, Server];
    const runId = runIdOf(await start(first, 'one'));
    const { signal } = new AbortController();
    for (let status = 'next', turn = 0; status === 'next'; turn += 1) {
      ({ status } = await (turn % 2 === 0 ? first : second).durable.advance(runId, signal));
    }
    expect(await endOf(first, runId)).toMatchObject({
      type: 'run-end',
      error: { code: 'budget_exceeded', details: { limit: 'dailyTokens' } },
    });
    expect(site.calls).toEqual(['call 0', 'call 1']);
    // what each call used, as its provider reports it
    expect(await usedBy(limitStore)).toBe(6_000);
    const refused = await start(second, 'two');
    expect(await refusal(refused)).toMatchObject({ status: 402, code: 'budget_exceeded' });
    expect((await start(second, 'three', 'bob')).status).toBe(200);
  });

  test('a call that used more than was left of the day counts in full at the next step', async () => {
    const limitStore = createMemoryLimits();
    const guard = createRunGuard({ limits: { dailyTokens: 2_800, maxOutputTokens: 200 }, limitStore });
    const site = createSite([heavy, heavy]);
    const server = createServer(site, createMemoryStore(), { guard });
    await server.work();
    const runId = runIdOf(await start(server, 'one'));
    expect(await endOf(server, runId)).toMatchObject({ error: { code: 'budget_exceeded' } });
    expect(site.calls).toEqual(['call 0']);
    await expect.poll(() => usedBy(limitStore)).toBe(3_000);
  });

  test('a start that is stored and not answered keeps its place', async () => {
    const guard = createRunGuard({ limits: { concurrent: 1 } });
    const site = createSite([says]);
    const store = createMemoryStore();
    const server = createServer(site, store, { guard });
    const begin: typeof server.durable.begin = async (...args) => {
      await server.durable.begin(...args);
      throw new Error('The queue is away.');
    };
    const broken = createServer(site, store, { guard, durable: { ...server.durable, begin } });
    expect(await refusal(await start(broken, 'one'))).toMatchObject({ status: 503 });
    expect(await refusal(await start(server, 'two'))).toMatchObject({ code: 'too_many_at_once' });
    const again = await start(server, 'one');
    expect(again.status).toBe(200);
    await server.work();
    expect(await endOf(server, runIdOf(again))).toMatchObject({ outcome: 'done' });
    await expect.poll(async () => (await start(server, 'two')).status).toBe(200);
  });

  test('limits of one user come from auth, and the total counts for all', async () => {
    const limitStore = createMemoryLimits();
    const guard = createRunGuard({
      limits: { totalDailyTokens: 10_500, maxOutputTokens: 1_500 },
      limitStore,
    });
    const site = createSite([heavy, says]);
    const auth: PromptRouteOptions['auth'] = async ({ headers }) => {
      const subject = headers.get('authorization')!.replace('Bearer ', '');
      return { subject, dailyTokens: subject === 'ada' ? 4_000 : Infinity };
    };
    const server = createServer(site, createMemoryStore(), { guard, auth });
    await server.work();
    const ada = runIdOf(await start(server, 'one'));
    // the second call could use more than is left
    expect(await endOf(server, ada)).toMatchObject({ error: { code: 'budget_exceeded' } });
    const bob = runIdOf(await start(server, 'one', 'bob'));
    expect(await endOf(server, bob)).toMatchObject({ outcome: 'done' });
    await endOf(server, runIdOf(await start(server, 'two', 'bob')));
    await expect
      .poll(async () => refusal(await start(server, 'three', 'bob')))
      .toMatchObject({ code: 'total_exceeded' });
  });

  test('a user has no more runs at once than allowed, and one that waits for an approval takes no place', async () => {
    const guard = createRunGuard({ limits: { concurrent: 1 } });
    const site = createSite([sends, looks, says]);
    const server = createServer(site, createMemoryStore(), { guard });
    let open = (): void => {};
    site.onLook.run = () => new Promise((resolve) => (open = () => resolve('seen')));
    const waiting = runIdOf(await start(server, 'one'));
    // it has its place before a worker is up
    expect(await refusal(await start(server, 'two'))).toMatchObject({
      status: 429,
      code: 'too_many_at_once',
    });
    await server.work();
    const seen = await readTo(server.durable.watch(waiting, -1, never()), 'approval-request');
    let two = '';
    const startTwo = async (): Promise<number> => {
      const response = await start(server, 'two');
      two = runIdOf(response);
      return response.status;
    };
    await expect.poll(startTwo).toBe(200);
    // a run continues with its response in any case, and takes a slot again
    await readTo(server.durable.watch(two, -1, never()), 'approval-request');
    await approve(server, seen);
    await readTo(server.durable.watch(waiting, -1, never()), 'tool-end');
    await expect.poll(async () => (await start(server, 'three')).status).toBe(429);
    open();
    await expect.poll(() => site.calls.filter((call) => call === 'call 1').length).toBe(1);
    await expect.poll(() => (open(), endedOf(server, waiting)), { timeout: 5_000 }).toBe(true);
    await expect.poll(async () => (await start(server, 'four')).status).toBe(200);
  });

  test('a run ends after its time, in which waits for an approval do not count', async () => {
    const guard = createRunGuard({ limits: { runMs: 60_000 } });
    const store = createMemoryStore();
    const site = createSite([sends, looks, says]);
    const server = createServer(site, store, { guard });
    // a run that was started an hour ago, and waits since then
    const { signal } = new AbortController();
    const begin = async (runId: string): Promise<readonly RunEvent[]> => {
      await store.create({ runId, start: { prompt: 'desk', owner: { subject: 'ada' } } });
      await server.durable.advance(runId, signal);
      return (await store.read(runId, -1))!.events;
    };
    const [waited, worked] = [createMemoryStore(), createMemoryStore()];
    const events = await begin('run-0');
    const hourAgo = { prompt: 'desk', owner: { subject: 'ada' }, startedAt: Date.now() - 3_600_000 };
    for (const [copy, kept] of [
      [waited, events],
      [worked, events.slice(0, events.findIndex(({ type }) => type === 'model-call-end') + 1)],
    ] as const) {
      await copy.create({ runId: 'run-1', start: hourAgo });
      const claimed = await copy.claim('run-1', -1);
      if (claimed === undefined || claimed === 'ended') throw new Error('not claimed');
      await copy.append('run-1', claimed.epoch, kept);
    }
    const [after, over] = [waited, worked].map((copy) => createServer(site, copy, { guard })) as [
      Server,
      Server,
    ];
    await approve(after, [{ ...events[0]!, runId: 'run-1' } as RunEvent, ...events.slice(1)]);
    for (let status = 'next'; status === 'next';) ({ status } = await after.durable.advance('run-1', signal));
    expect((await waited.read('run-1', -1))?.events.at(-1)).toMatchObject({ outcome: 'done' });
    expect(await over.durable.advance('run-1', signal)).toEqual({ status: 'done' });
    expect((await worked.read('run-1', -1))?.events.at(-1)).toMatchObject({
      outcome: 'error',
      error: { code: 'timeout', details: { ms: 60_000 } },
    });
  });

  test("auth: 'none' needs a guard with a daily limit, and counts by address", async () => {
    const site = createSite([looks, says]);
    const store = createMemoryStore();
    const open: Partial<PromptRouteOptions> = { auth: 'none', address: () => '203.0.113.9' };
    expect(() => createServer(site, store, open)).toThrow('have no guard');
    expect(() => createServer(site, store, { guard: createRunGuard(), ...open })).toThrow(
      'limits.dailyTokens',
    );
    const limitStore = createMemoryLimits();
    const guard = createRunGuard({ limits: { dailyTokens: 100_000 }, limitStore });
    const server = createServer(site, store, { guard, ...open });
    await server.work();
    const fromPage = post({ key: 'one' }, '', { origin: page });
    const response = await server.fetch()(fromPage);
    await response.text();
    await expect.poll(() => usedBy(limitStore, 'address:203.0.113.9')).toBe(2_000);
  });

  test('a route refuses limits that its workers do not hold', () => {
    const site = createSite([says]);
    const make =
      (guard: RunGuard | undefined, options: Partial<PromptRouteOptions>): (() => unknown) =>
      () =>
        createServer(site, createMemoryStore(), { ...options, guard });
    const limits = { dailyTokens: 1_000, concurrent: 2 };
    const prices = { gpt: { input: 1, output: 1 } };
    expect(make(undefined, { limits })).toThrow('no guard that holds limits.concurrent, limits.dailyTokens');
    expect(make(undefined, { killSwitch: () => false })).toThrow('no guard that holds killSwitch');
    expect(make(createRunGuard({ limits }), { limits: { concurrent: 3 } })).toThrow(
      'another value of limits.concurrent',
    );
    expect(make(createRunGuard(), { limitStore: createMemoryLimits() })).toThrow(
      'another value of limitStore',
    );
    expect(make(createRunGuard({ limits, prices }), { limits: { ...limits, rpm: 5 }, prices })).not.toThrow();
    expect(() => createRunGuard({ limits: { rpm: 5 } as never })).toThrow('rpm');
    expect(() => createRunGuard({ limits: { dailyCost: 5 } })).toThrow('needs prices');
    expect(make({ ...createRunGuard() }, {})).toThrow('was not created by createRunGuard');
  });
});
