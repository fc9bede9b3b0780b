import { createRun, definePrompt, type PromptDefinition, type RunEvent } from '@cueline/core';
import { scriptedModel, type ScriptedModel, type ScriptedTurn } from '@cueline/core/testing';
import {
  createDurable,
  createMemoryStore,
  inProcessDriver,
  type Durable,
  type DurableStore,
} from '@cueline/durable';
import {
  createKillSwitch,
  createMemoryLimits,
  createPromptRoute,
  createRunGuard,
  type LimitStore,
  type PromptRouteEvent,
  type PromptRouteOptions,
  type RunGuard,
  type RunGuardOptions,
} from '@cueline/edge';
import { afterEach, describe, expect, test } from 'vitest';
import * as z from 'zod';
import { all, ask, client, endless, idOf, never, page, post, readTo, refusal } from './routes.ts';

const usage = { finish: { usage: { inputTokens: 900, outputTokens: 100 } } } as const;
const looks: ScriptedTurn = [{ toolCall: { name: 'look', input: {} } }, usage];
/** Uses 3,000 tokens. */
const heavy: ScriptedTurn = [
  { toolCall: { name: 'look', input: {} } },
  { finish: { usage: { inputTokens: 2_900, outputTokens: 100 } } },
];
const sends: ScriptedTurn = [{ toolCall: { name: 'send', input: {} } }, usage];
const says: ScriptedTurn = ['Done.', usage];

type Site = { prompt: PromptDefinition; calls: string[]; onLook: { run: () => unknown } };

/** A prompt whose model answers by what it is sent, as every process would have it, and notes its calls. */
function createSite(turns: readonly ScriptedTurn[]): Site {
  const calls: string[] = [];
  const onLook = { run: (): unknown => 'seen' };
  const inner = scriptedModel(['unused']);
  const model: ScriptedModel = {
    ...inner,
    doStream(call) {
      const answers = call.prompt.filter(({ role }) => role === 'assistant').length;
      calls.push(`call ${answers}`);
      return scriptedModel([turns[answers] ?? says]).doStream(call);
    },
  };
  const prompt = definePrompt(
    'desk',
    (desk) => {
      desk.$`Help.`;
      desk.defTool('look', 'Looks', z.object({}), async () => String(await onLook.run()), { effect: 'read' });
      desk.defTool('send', 'Sends', z.object({}), () => 'sent', { effect: 'external', needsApproval: true });
    },
    { model },
  );
  return { prompt, calls, onLook };
}

const stops: (() => Promise<void>)[] = [];
afterEach(async () => void (await Promise.all(stops.splice(0).map((stop) => stop()))));

type Server = {
  durable: Durable;
  fetch(subject?: string): (request: Request) => Promise<Response>;
  work(): Promise<() => Promise<void>>;
};

/** A server process with a guard, or without one. */
function createServer(
  { prompt }: Pick<Site, 'prompt'>,
  store: DurableStore,
  guard: RunGuard | undefined,
  options: Partial<PromptRouteOptions> = {},
): Server {
  const driver = inProcessDriver({ graceMs: 0, onError: () => {} });
  const durable = createDurable({ prompts: [prompt], store, driver, guard });
  const route = createPromptRoute(prompt, {
    durable,
    origins: [page],
    auth: async ({ headers }) => {
      const subject = headers.get('authorization')?.replace('Bearer ', '');
      return subject === undefined ? null : { subject };
    },
    ...options,
  });
  return {
    durable,
    fetch:
      (subject = 'ada') =>
      (request) => {
        const sent = new Request(request);
        sent.headers.set('authorization', `Bearer ${subject}`);
        return route(sent);
      },
    async work() {
      const worker = await durable.work();
      stops.push(() => worker.stop());
      return () => worker.stop();
    },
  };
}

/** Returns how many tokens of today a subject has used or reserved. */
async function usedBy(store: LimitStore, subject = 'ada'): Promise<number> {
  const day = 10_000_000;
  const fits = async (tokens: number): Promise<boolean> => {
    const call = { subject, id: 'probe', tokens, dailyTokens: day, rpm: Infinity, concurrent: Infinity };
    const { ok } = await store.reserve({ ...call, leaseMs: 1_000, continues: true });
    if (ok) await store.settle({ subject, id: 'probe', tokens: 0 });
    return ok;
  };
  let [low, high] = [0, day];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (await fits(middle)) low = middle;
    else high = middle - 1;
  }
  return day - low;
}

const start = async (server: Server, key: string, subject = 'ada'): Promise<Response> => {
  const response = await server.fetch(subject)(post({ key }));
  if (response.ok) await response.body?.cancel();
  return response;
};
const runIdOf = (response: Response): string => response.headers.get('x-cueline-run') ?? '';
const endOf = async (server: Server, runId: string): Promise<RunEvent | undefined> =>
  (await all(server.durable.watch(runId, -1, never()))).at(-1);
const approve = (server: Server, events: readonly RunEvent[]): unknown => {
  const asked = events.find((event) => event.type === 'approval-request');
  if (asked?.type !== 'approval-request') throw new Error('Nothing is asked.');
  const response = { approved: true } as const;
  return client(server).send(idOf(events), {
    type: 'approval-response',
    approvalId: asked.approvalId,
    response,
  });
};
const request = (site: Site): { definition: PromptDefinition; input: undefined } => ({
  definition: site.prompt,
  input: undefined,
});

describe('the limits of durable runs', () => {
  test('two workers count in one store: a call that the day has no room for ends its run, and no other begins', async () => {
    const limitStore = createMemoryLimits();
    const limits = { dailyTokens: 6_500, maxOutputTokens: 1_500 };
    const store = createMemoryStore();
    const site = createSite([heavy, heavy, heavy]);
    const guards = [createRunGuard({ limits, limitStore }), createRunGuard({ limits, limitStore })];
    const [first, second] = guards.map((guard) => createServer(site, store, guard)) as [Server, Server];
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
    const server = createServer(site, createMemoryStore(), guard, { auth });
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
    const server = createServer(site, createMemoryStore(), guard);
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
    await expect.poll(async () => (await start(server, 'two')).status).toBe(200);
    // an answered run goes on in any case, and takes a place again
    const { runId } = (await server.durable.find({ key: JSON.stringify(['ada', '["desk","two"]']) }))!;
    await readTo(server.durable.watch(runId, -1, never()), 'approval-request');
    await approve(server, seen);
    await readTo(server.durable.watch(waiting, -1, never()), 'tool-end');
    await expect.poll(async () => (await start(server, 'three')).status).toBe(429);
    open();
    await expect.poll(() => site.calls.filter((call) => call === 'call 1').length).toBe(1);
    await expect.poll(() => (open(), endedOf(server, waiting)), { timeout: 5_000 }).toBe(true);
    await expect.poll(async () => (await start(server, 'four')).status).toBe(200);
  });

  test('a worker that is killed in a model call: its reservation counts in full, and the next worker goes on', async () => {
    const limitStore = createMemoryLimits();
    const guard = createRunGuard({ limits: { dailyTokens: 1_000_000, maxOutputTokens: 5_000 }, limitStore });
    const store = createMemoryStore();
    const turns = [endless, says];
    const site = createSite(turns);
    const killed = createServer(site, store, guard);
    const runId = runIdOf(await start(killed, 'one'));
    // it never comes back from its call
    const leaving = new AbortController();
    const first = killed.durable.advance(runId, leaving.signal);
    await expect.poll(() => site.calls).toHaveLength(1);
    const reserved = await usedBy(limitStore);
    expect(reserved).toBeGreaterThan(5_000);
    turns[0] = says;
    const next = createServer(
      site,
      store,
      createRunGuard({ limits: { dailyTokens: 1_000_000 }, limitStore }),
    );
    const { signal } = new AbortController();
    expect(await next.durable.advance(runId, signal)).toEqual({ status: 'done' });
    await expect.poll(() => usedBy(limitStore)).toBe(reserved + 1_000);
    // the same job again
    expect(await next.durable.advance(runId, signal)).toEqual({ status: 'done' });
    // the first worker was only away: what it does now counts for nothing, and harms nothing
    leaving.abort(new Error('away'));
    await first.catch(() => {});
    expect(await usedBy(limitStore)).toBe(reserved + 1_000);
    expect((await store.read(runId, -1))?.events.filter(({ type }) => type === 'run-end')).toHaveLength(1);
  });

  test('a worker whose run was taken over makes no further model call', async () => {
    const limitStore = createMemoryLimits();
    const options = { limits: { dailyTokens: 1_000_000 }, limitStore };
    const store = createMemoryStore();
    const site = createSite([looks, says]);
    const [away, other] = [0, 1].map(() => createServer(site, store, createRunGuard(options))) as [
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
    const server = createServer(site, createMemoryStore(), guard);
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
    const server = createServer(site, createMemoryStore(), guard);
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

  test('the kill switch refuses starts, and ends a run before its next call', async () => {
    const killSwitch = createKillSwitch();
    const guard = createRunGuard({ killSwitch });
    const site = createSite([looks, says]);
    const server = createServer(site, createMemoryStore(), guard);
    site.onLook.run = () => (killSwitch.turnOn(), 'seen');
    const runId = runIdOf(await start(server, 'one'));
    await server.work();
    expect(await endOf(server, runId)).toMatchObject({ outcome: 'error', error: { code: 'interrupted' } });
    expect(site.calls).toEqual(['call 0']);
    expect(await refusal(await start(server, 'two'))).toMatchObject({ status: 503, code: 'unavailable' });
    killSwitch.turnOff();
    expect((await start(server, 'two')).status).toBe(200);
  });

  test('the kill switch ends calls in progress', async () => {
    const killSwitch = createKillSwitch();
    const events: PromptRouteEvent[] = [];
    const guard = createRunGuard({ killSwitch, onEvent: (event) => void events.push(event) });
    const site = createSite([endless]);
    const server = createServer(site, createMemoryStore(), guard);
    const runId = runIdOf(await start(server, 'one'));
    await server.work();
    await expect.poll(() => site.calls).toHaveLength(1);
    killSwitch.turnOn({ stopRuns: true });
    expect(await endOf(server, runId)).toMatchObject({ outcome: 'error', error: { code: 'interrupted' } });
    await expect.poll(() => events.map(({ type }) => type)).toContain('model-call');
    expect(events).toContainEqual(expect.objectContaining({ type: 'model-call', basis: 'reserved' }));
  });

  test('a run ends after its time, in which waits for an approval do not count', async () => {
    const guard = createRunGuard({ limits: { runMs: 60_000 } });
    const store = createMemoryStore();
    const site = createSite([sends, looks, says]);
    const server = createServer(site, store, guard);
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
    const [after, over] = [waited, worked].map((copy) => createServer(site, copy, guard)) as [Server, Server];
    await approve(after, [{ ...events[0]!, runId: 'run-1' } as RunEvent, ...events.slice(1)]);
    for (let status = 'next'; status === 'next';) ({ status } = await after.durable.advance('run-1', signal));
    expect((await waited.read('run-1', -1))?.events.at(-1)).toMatchObject({ outcome: 'done' });
    expect(await over.durable.advance('run-1', signal)).toEqual({ status: 'done' });
    expect((await worked.read('run-1', -1))?.events.at(-1)).toMatchObject({
      outcome: 'error',
      error: { code: 'timeout', details: { ms: 60_000 } },
    });
  });

  test('a worker without the guard advances no run that was started with one', async () => {
    const store = createMemoryStore();
    const site = createSite([says]);
    const server = createServer(site, store, createRunGuard());
    const runId = runIdOf(await start(server, 'one'));
    const bare = createServer(site, store, undefined);
    const { signal } = new AbortController();
    await expect(bare.durable.advance(runId, signal)).rejects.toThrow('was started with a guard');
    expect(site.calls).toEqual([]);
    expect(await server.durable.advance(runId, signal)).toEqual({ status: 'done' });
  });

  test('starts, model calls and ends are reported once, whichever process has them', async () => {
    const events: PromptRouteEvent[] = [];
    const prices = { 'simulated:scripted': { input: 1_000, output: 10_000 } };
    const options: RunGuardOptions = { prices, onEvent: (event) => void events.push(event) };
    const store = createMemoryStore();
    const site = createSite([sends, says]);
    const first = createServer(site, store, createRunGuard(options));
    const stop = await first.work();
    const seen = await readTo(client(first).start(request(site), never()), 'approval-request');
    await stop();
    const second = createServer(site, store, createRunGuard(options));
    await approve(second, seen);
    await second.work();
    await endOf(second, idOf(seen));
    const about = { runId: idOf(seen), subject: 'ada', prompt: 'desk' };
    const call = { type: 'model-call', ...about, inputTokens: 900, outputTokens: 100, cost: 1.9 };
    await expect.poll(() => events).toHaveLength(4);
    expect(events).toMatchObject([
      { type: 'run-start', ...about },
      call,
      call,
      { type: 'run-end', ...about, outcome: 'done', tokens: 2_000, cost: 3.8 },
    ]);
  });

  test("auth: 'none' needs a guard with a daily limit, and counts by address", async () => {
    const site = createSite([looks, says]);
    const store = createMemoryStore();
    const open: Partial<PromptRouteOptions> = { auth: 'none', address: () => '203.0.113.9' };
    expect(() => createServer(site, store, undefined, open)).toThrow('have no guard');
    expect(() => createServer(site, store, createRunGuard(), open)).toThrow('limits.dailyTokens');
    const limitStore = createMemoryLimits();
    const guard = createRunGuard({ limits: { dailyTokens: 100_000 }, limitStore });
    const server = createServer(site, store, guard, open);
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
        createServer(site, createMemoryStore(), guard, options);
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
    expect(make({ begin: createRunGuard().begin }, {})).toThrow('was not created by createRunGuard');
  });

  test('an approval of a run that was stopped is refused, and nothing runs', async () => {
    const site = createSite([sends, says]);
    const server = createServer(site, createMemoryStore(), createRunGuard({ limits: { concurrent: 1 } }));
    const run = createRun(site.prompt, { executor: client(server) });
    run.start().catch(() => {});
    await server.work();
    await expect.poll(() => run.getState().status).toBe('waiting');
    const { runId } = run.getState();
    expect((await server.fetch()(ask('DELETE', `?run=${runId}`))).status).toBe(204);
    expect(await endOf(server, runId)).toMatchObject({ outcome: 'stopped' });
    expect(await approve(server, run.log())).toMatchObject({ accepted: false });
    expect(site.calls).toEqual(['call 0']);
    expect((await start(server, 'two')).status).toBe(200);
  });
});

async function endedOf({ durable }: Server, runId: string): Promise<boolean> {
  return (await durable.find({ runId }))?.endSeq !== undefined;
}
