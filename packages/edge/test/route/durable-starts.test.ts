import { setTimeout } from 'node:timers/promises';
import { definePrompt, reduceAll, type TaskEdit } from '@cueline/core';
import { scriptedModel, type ScriptedTurn } from '@cueline/core/testing';
import { createMemoryStore, type DurableStore } from '@cueline/durable';
import {
  createMemoryLimits,
  createRunGuard,
  type LimitStore,
  type PromptRouteEvent,
  type PromptRouteOptions,
} from '@cueline/edge';
import { describe, expect, test, vi } from 'vitest';
import { createSite, endOf, looks, runIdOf, says, start } from './durable-desk.ts';
import { createServer, type Server } from './durable-server.ts';
import { post, refusal } from './routes.ts';

describe('the start of a durable run', () => {
  test.each<[string, Partial<PromptRouteOptions>, string]>([
    [
      'accept returns options that are not limits',
      { accept: () => ({ options: { maxRetries: 1, limits: { steps: 3 } } }) },
      'accept returned maxRetries, and a durable run stores only its limits',
    ],
    [
      'accept returns a model that is not a name',
      { accept: () => ({ model: scriptedModel(['Never.']) }) },
      'accept returned model, as an object',
    ],
    [
      'auth returns tokens per day, and no guard counts them',
      { auth: async () => ({ subject: 'ada', dailyTokens: 1_000 }) },
      'createDurable({ guard: createRunGuard({ … }), … })',
    ],
    [
      'auth returns a cost per day, and no guard counts it',
      { auth: async () => ({ subject: 'ada', dailyCost: 1 }) },
      'createDurable({ guard: createRunGuard({ … }), … })',
    ],
  ])('fails on the server, which learns what to change, if %s', async (_, options, message) => {
    const events: PromptRouteEvent[] = [];
    const onEvent = (event: PromptRouteEvent): void => void events.push(event);
    const store = createMemoryStore();
    const create = vi.spyOn(store, 'create');
    const server = createServer(createSite([says]), store, { ...options, onEvent });
    const response = await start(server, 'one');
    expect(await refusal(response)).toMatchObject({ status: 500, code: 'internal' });
    expect(events).toEqual([
      { type: 'failed', error: expect.objectContaining({ message: expect.stringContaining(message) }) },
    ]);
    expect(create).not.toHaveBeenCalled();
  });

  test('stores the limits that accept returns, and each worker keeps them', async () => {
    const site = createSite([looks, looks, says]);
    const server = createServer(site, createMemoryStore(), {
      accept: () => ({ options: { limits: { steps: 1 } } }),
    });
    await server.work();
    expect(await endOf(server, runIdOf(await start(server, 'one')))).toMatchObject({
      error: { code: 'budget_exceeded', details: { limit: 'steps' } },
    });
    expect(site.calls).toEqual(['call 0']);
  });

  test('takes one place if it is sent twice at once, and both responses have the same run', async () => {
    const limitStore = createMemoryLimits();
    let reservations = 0;
    let resolveStored = (): void => {};
    const stored = new Promise<void>((resolve) => (resolveStored = resolve));
    const reserve: LimitStore['reserve'] = async (call) => {
      reservations += 1;
      // both have looked for an earlier run by now
      if (reservations === 2) await stored;
      return limitStore.reserve(call);
    };
    const guard = createRunGuard({ limits: { concurrent: 1 }, limitStore: { ...limitStore, reserve } });
    const server = createServer(createSite([says]), createMemoryStore(), { guard });
    const { begin } = server.durable;
    server.durable.begin = async (...args) => {
      const begun = await begin(...args);
      resolveStored();
      return begun;
    };
    const [one, same] = await Promise.all([start(server, 'one'), start(server, 'one')]);
    expect([one.status, same.status, reservations]).toEqual([200, 200, 2]);
    expect(runIdOf(same)).toBe(runIdOf(one));
    expect((await start(server, 'two')).status).toBe(429);
  });

  test.each([
    ['frees its slot if its run is not stored', true, 'settle', 200],
    ['keeps its place if its run may be stored', false, 'adjust', 429],
  ])('that fails %s', async (_, canLook, how, status) => {
    const limitStore = createMemoryLimits();
    const done: string[] = [];
    const noted: LimitStore = {
      ...limitStore,
      async adjust(call) {
        const adjusted = await limitStore.adjust(call);
        done.push('adjust');
        return adjusted;
      },
      async settle(call) {
        await limitStore.settle(call);
        done.push('settle');
      },
    };
    const guard = createRunGuard({ limits: { concurrent: 1 }, limitStore: noted });
    const server = createServer(createSite([says]), createMemoryStore(), { guard });
    const { begin, find } = server.durable;
    const away = (): Promise<never> => Promise.reject(new Error('The store is away.'));
    server.durable.begin = async () => {
      if (!canLook) server.durable.find = away;
      return away();
    };
    expect(await refusal(await start(server, 'one'))).toMatchObject({ status: 503, code: 'unavailable' });
    await expect.poll(() => done).toEqual([how]);
    Object.assign(server.durable, { begin, find });
    expect((await start(server, 'two')).status).toBe(status);
  });

  test('is refused while the kill switch cannot be asked', async () => {
    const error = new Error('The flags are away.');
    const events: PromptRouteEvent[] = [];
    const guard = createRunGuard({
      killSwitch: () => Promise.reject(error),
      onEvent: (event) => void events.push(event),
    });
    const server = createServer(createSite([says]), createMemoryStore(), { guard });
    expect(await refusal(await start(server, 'one'))).toMatchObject({ status: 503, code: 'unavailable' });
    expect(events).toContainEqual({ type: 'failed', error });
  });
});

describe('a new turn of a durable chat', () => {
  const say = async (server: Server, id: string): Promise<string> => {
    const messages = [{ id, role: 'user', parts: [{ type: 'text', text: 'Hi.' }] }];
    const response = await server.fetch()(post({ id: 'chat-1', trigger: 'submit-message', messages }));
    expect(response.status).toBe(200);
    await response.body?.cancel();
    return runIdOf(response);
  };

  test('stops the turn before, and begins once its end is stored', async () => {
    const site = createSite([looks, says]);
    const store = createMemoryStore();
    const order: string[] = [];
    const slow: DurableStore = {
      ...store,
      async append(runId, epoch, events) {
        const isEnd = events.at(-1)?.type === 'run-end';
        if (isEnd) await setTimeout(50);
        const isStored = await store.append(runId, epoch, events);
        if (isEnd) order.push('end');
        return isStored;
      },
    };
    const server = createServer(site, slow);
    const { begin } = server.durable;
    server.durable.begin = (...args) => {
      order.push('begin');
      return begin(...args);
    };
    await server.work();
    let looked = 0;
    site.onLook.run = () => ((looked += 1) === 1 ? new Promise(() => {}) : 'seen');
    const first = await say(server, 'u1');
    await expect.poll(() => looked).toBe(1);
    const second = await say(server, 'u2');
    expect(await endOf(server, first)).toMatchObject({ outcome: 'stopped' });
    expect(await endOf(server, second)).toMatchObject({ outcome: 'done' });
    await expect.poll(() => order).toEqual(['begin', 'end', 'begin', 'end']);
  });

  test('begins all the same if no worker ends the turn before within two seconds', async () => {
    const server = createServer(createSite([says, says]), createMemoryStore());
    const first = await say(server, 'u1');
    const second = await say(server, 'u2');
    expect(second).not.toBe(first);
    await server.work();
    expect(await endOf(server, first)).toMatchObject({ outcome: 'stopped' });
    expect(await endOf(server, second)).toMatchObject({ outcome: 'done' });
  });
});

const finish = (result: string): ScriptedTurn => [{ toolCall: { name: 'finishTask', input: { result } } }];

test.each<[string, PromptRouteOptions['edits']]>([
  ['by default', undefined],
  ['by a function', (_edit, { task }) => task?.hasValidation !== true],
])(
  'a task that may not be skipped %s may not be skipped before a worker has begun the run, either',
  async (_, edits) => {
    const prompt = definePrompt(
      'desk',
      (desk) => {
        desk.defTaskList([
          { task: 'Check the order', validation: (result) => (result === 'good' ? undefined : 'No.') },
        ]);
        desk.$`Go.`;
      },
      { model: scriptedModel([finish('good'), finish('thanks'), 'Done.']) },
    );
    const server = createServer({ prompt }, createMemoryStore(), { edits });
    const runId = runIdOf(await start(server, 'one'));
    const send = async (edit: TaskEdit): Promise<unknown> =>
      (await server.fetch()(post({ type: 'edit', edit }, `?run=${runId}`))).json();
    const reason = 'There is no such task in this run.';
    expect(await send({ type: 'skip', taskId: 'task-1' })).toEqual({ accepted: false, reason });
    expect(await send({ type: 'add', title: 'Say thanks' })).toEqual({ accepted: true });
    await server.work();
    expect(await endOf(server, runId)).toMatchObject({ outcome: 'done' });
    const { events } = (await server.durable.read(runId, -1))!;
    expect(reduceAll(events).tasks).toMatchObject([
      { title: 'Check the order', status: 'completed', result: 'good' },
      { title: 'Say thanks', status: 'completed', result: 'thanks' },
    ]);
  },
);
