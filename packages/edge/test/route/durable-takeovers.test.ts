import { createMemoryStore } from '@cueline/durable';
import { createMemoryLimits, createRunGuard, type LimitStore } from '@cueline/edge';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { createSite, endedOf, endOf, looks, runIdOf, says, start, usedBy } from './durable-desk.ts';
import { createServer, type Server } from './durable-server.ts';
import { endless, refusal } from './routes.ts';

describe('a durable run with limits that another worker takes over', () => {
  test('a worker whose run was taken over makes no further model call', async () => {
    const limitStore = createMemoryLimits();
    const options = { limits: { dailyTokens: 1_000_000 }, limitStore };
    const store = createMemoryStore();
    const site = createSite([looks, says]);
    const [away, other] = [0, 1].map(() => createServer(site, store, { guard: createRunGuard(options) })) as [
      Server,
      Server,
    ];
    const runId = runIdOf(await start(away, 'one'));
    const { signal } = new AbortController();
    // its reservation of the second step comes after the other worker has taken the run over
    await away.durable.advance(runId, signal);
    let comeBack = (): void => {};
    const reserve = limitStore.adjust;
    const back = new Promise<void>((resolve) => (comeBack = resolve));
    let isFirst = true;
    limitStore.adjust = async (call) => {
      if (isFirst && call.tokens > 2_000) {
        isFirst = false;
        await back;
      }
      return reserve(call);
    };
    const late = away.durable.advance(runId, signal);
    await expect.poll(() => isFirst).toBe(false);
    for (let status = 'next'; status === 'next';) ({ status } = await other.durable.advance(runId, signal));
    comeBack();
    expect(await late).toEqual({ status: 'done' });
    expect(site.calls).toEqual(['call 0', 'call 1']);
    await expect.poll(() => usedBy(limitStore)).toBe(2_000);
  });

  test('the same job at once: each call that was made counts, and none twice', async () => {
    const limitStore = createMemoryLimits();
    const guard = createRunGuard({ limits: { dailyTokens: 10_000_000, maxOutputTokens: 2_000 }, limitStore });
    const site = createSite([looks, looks, says]);
    const server = createServer(site, createMemoryStore(), { guard });
    const runId = runIdOf(await start(server, 'one'));
    const { signal } = new AbortController();
    const job = async (): Promise<void> => {
      for (let status = 'next'; status === 'next';)
        ({ status } = await server.durable.advance(runId, signal));
    };
    await Promise.all([job(), job(), job()]);
    expect(await endOf(server, runId)).toMatchObject({ outcome: 'done' });
    const used = await usedBy(limitStore);
    // a call whose worker lost the run counts as what it had reserved: little more than 3,000
    expect(used).toBeGreaterThanOrEqual(3_000);
    expect(used).toBeLessThanOrEqual(site.calls.length * 5_000);
    await job();
    expect(await usedBy(limitStore)).toBe(used);
  });

  test('while the limit store is away, no model is called, and then the run goes on', async () => {
    const limitStore = createMemoryLimits();
    let isAway = false;
    const flaky: LimitStore = {
      reserve: async (call) => (isAway ? Promise.reject(new Error('away')) : limitStore.reserve(call)),
      adjust: async (call) => (isAway ? Promise.reject(new Error('away')) : limitStore.adjust(call)),
      settle: async (call) => (isAway ? Promise.reject(new Error('away')) : limitStore.settle(call)),
    };
    const guard = createRunGuard({ limits: { dailyTokens: 1_000_000 }, limitStore: flaky });
    const site = createSite([looks, says]);
    const server = createServer(site, createMemoryStore(), { guard });
    const runId = runIdOf(await start(server, 'one'));
    isAway = true;
    expect(await refusal(await start(server, 'two'))).toMatchObject({ status: 503 });
    const { signal } = new AbortController();
    await expect(server.durable.advance(runId, signal)).rejects.toThrow('away');
    expect(site.calls).toEqual([]);
    isAway = false;
    // gone between the beginning of the step and its call
    site.onLook.run = () => {
      isAway = true;
      return 'seen';
    };
    await server.durable.advance(runId, signal);
    isAway = false;
    await server.durable.advance(runId, signal);
    expect(await endOf(server, runId)).toMatchObject({ outcome: 'done' });
    expect(site.calls).toEqual(['call 0', 'call 1']);
  });

  test('a worker without the guard advances no run that was started with one', async () => {
    const store = createMemoryStore();
    const site = createSite([says]);
    const server = createServer(site, store, { guard: createRunGuard() });
    const runId = runIdOf(await start(server, 'one'));
    const bare = createServer(site, store);
    const { signal } = new AbortController();
    await expect(bare.durable.advance(runId, signal)).rejects.toThrow('was started with a guard');
    expect(site.calls).toEqual([]);
    expect(await server.durable.advance(runId, signal)).toEqual({ status: 'done' });
  });

  test('what a killed worker had reserved counts in full, and the worker that finishes the run frees its slot', async () => {
    const limitStore = createMemoryLimits();
    const limits = { dailyTokens: 1_000_000, maxOutputTokens: 5_000, concurrent: 1 };
    const store = createMemoryStore();
    const turns = [endless, says];
    const site = createSite(turns);
    const killed = createServer(site, store, { guard: createRunGuard({ limits, limitStore }) });
    const runId = runIdOf(await start(killed, 'one'));
    const leaving = new AbortController();
    const first = killed.durable.advance(runId, leaving.signal);
    await expect.poll(() => site.calls).toHaveLength(1);
    const reserved = await usedBy(limitStore);
    expect(reserved).toBeGreaterThan(5_000);
    turns[0] = says;
    const { signal } = new AbortController();
    const away = createRunGuard({ limits, limitStore: awayStore });
    for (const guard of [away, undefined, away]) {
      const { durable } = createServer(site, store, { guard });
      await expect(durable.advance(runId, signal)).rejects.toThrow(guard ? 'away' : 'has none');
    }
    const next = createServer(site, store, { guard: createRunGuard({ limits, limitStore }) });
    expect(await next.durable.advance(runId, signal)).toEqual({ status: 'done' });
    await expect.poll(() => usedBy(limitStore)).toBe(reserved + 1_000);
    // the same job again
    expect(await next.durable.advance(runId, signal)).toEqual({ status: 'done' });
    await expect.poll(async () => (await start(next, 'two')).status).toBe(200);
    // the first worker was only away: what it does now counts for nothing, and harms nothing
    leaving.abort(new Error('away'));
    await first.catch(() => {});
    expect(await usedBy(limitStore)).toBe(reserved + 1_000);
    expect((await store.read(runId, -1))?.events.filter(({ type }) => type === 'run-end')).toHaveLength(1);
  });

  test('a worker that is killed after it has stored the end: the next job of the run frees its slot', async () => {
    const limitStore = createMemoryLimits();
    const limits = { dailyTokens: 1_000_000, concurrent: 1 };
    const store = createMemoryStore();
    const site = createSite([says]);
    let comeBack = (): void => {};
    const back = new Promise<void>((resolve) => (comeBack = resolve));
    const killed = createServer(
      site,
      {
        ...store,
        async append(runId, epoch, events) {
          const isStored = await store.append(runId, epoch, events);
          if (events.at(-1)?.type === 'run-end') await back;
          return isStored;
        },
      },
      { guard: createRunGuard({ limits, limitStore }) },
    );
    const runId = runIdOf(await start(killed, 'one'));
    const { signal } = new AbortController();
    const first = killed.durable.advance(runId, signal);
    await expect.poll(() => endedOf(killed, runId)).toBe(true);
    expect((await start(killed, 'two')).status).toBe(429);
    // its engine tries the job again until the slot is free
    const away = createServer(site, store, { guard: createRunGuard({ limits, limitStore: awayStore }) });
    await expect(away.durable.advance(runId, signal)).rejects.toThrow('away');
    const next = createServer(site, store, { guard: createRunGuard({ limits, limitStore }) });
    expect(await next.durable.advance(runId, signal)).toEqual({ status: 'done' });
    expect(await usedBy(limitStore)).toBe(1_000);
    expect((await start(next, 'two')).status).toBe(200);
    // it was only away
    const used = await usedBy(limitStore);
    comeBack();
    expect(await first).toEqual({ status: 'done' });
    expect(await usedBy(limitStore)).toBe(used);
    expect((await start(next, 'three')).status).toBe(429);
  });

  test('a worker that is away while it begins changes nothing for the one that replaced it', async () => {
    const limitStore = createMemoryLimits();
    const limits = { concurrent: 1 };
    const store = createMemoryStore();
    const site = createSite([looks, looks, says]);
    let comeBack = (): void => {};
    const back = new Promise<void>((resolve) => (comeBack = resolve));
    let isAway = false;
    const slow: LimitStore = {
      ...limitStore,
      async reserve(call) {
        isAway = true;
        await back;
        return limitStore.reserve(call);
      },
    };
    const away = createServer(site, store, { guard: createRunGuard({ limits, limitStore: slow }) });
    const other = createServer(site, store, { guard: createRunGuard({ limits, limitStore }) });
    const runId = runIdOf(await start(other, 'one'));
    const { signal } = new AbortController();
    expect(await other.durable.advance(runId, signal)).toEqual({ status: 'next' });
    const late = away.durable.advance(runId, signal);
    await expect.poll(() => isAway).toBe(true);
    expect(await other.durable.advance(runId, signal)).toEqual({ status: 'next' });
    comeBack();
    expect(await late).toEqual({ status: 'done' });
    expect(site.calls).toEqual(['call 0', 'call 1']);
    expect((await start(other, 'two')).status).toBe(429);
    expect(await other.durable.advance(runId, signal)).toEqual({ status: 'done' });
    await expect.poll(() => usedBy(limitStore)).toBe(3_000);
    expect((await start(other, 'two')).status).toBe(200);
  });
});

describe('the worker of durable runs with limits', () => {
  test('waits when it stops until the limit store has what its runs have used, and not before', async () => {
    const limitStore = createMemoryLimits();
    const done: string[] = [];
    let open = (): void => {};
    const opened = new Promise<void>((resolve) => (open = resolve));
    const slow: LimitStore = {
      ...limitStore,
      async settle(call) {
        if (call.tokens !== 0) await opened;
        await limitStore.settle(call);
        if (call.tokens !== 0) done.push('settled');
      },
    };
    const guard = createRunGuard({ limits: { dailyTokens: 1_000_000 }, limitStore: slow });
    const server = createServer(createSite([says]), createMemoryStore(), { guard });
    const stop = await server.work();
    for (const key of ['one', 'two']) await endOf(server, runIdOf(await start(server, key)));
    const stopped = stop().then(() => done.push('stopped'));
    await new Promise((resolve) => setTimeout(resolve, 50));
    open();
    await stopped;
    expect(done).toEqual(['settled', 'settled', 'stopped']);
    expect(await usedBy(limitStore)).toBe(2_000);
  });

  test('waits no longer than three seconds for a limit store that is away', async () => {
    const limitStore: LimitStore = {
      ...createMemoryLimits(),
      settle: ({ id }) => (id === 'run-1' ? new Promise(() => {}) : Promise.resolve()),
    };
    const guard = createRunGuard({ limitStore });
    await guard.flush();
    const run = { runId: 'run-1', epoch: 1, prompt: 'desk', tokens: undefined, activeMs: 0, events: [] };
    const step = await guard.begin({
      ...run,
      owner: { subject: 'ada' },
      end() {},
      tryLater() {},
    });
    await step.over('done');
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    let isOver = false;
    const flushed = guard.flush().then(() => (isOver = true));
    await vi.advanceTimersByTimeAsync(2_999);
    expect(isOver).toBe(false);
    await vi.advanceTimersByTimeAsync(1);
    await flushed;
  });
});

/** A limit store that fails. */
const awayStore: LimitStore = {
  reserve: () => Promise.reject(new Error('away')),
  adjust: () => Promise.reject(new Error('away')),
  settle: () => Promise.reject(new Error('away')),
};
