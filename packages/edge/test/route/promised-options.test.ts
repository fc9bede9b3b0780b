import process from 'node:process';
import { scriptedModel } from '@cueline/core/testing';
import {
  createMemoryRuns,
  createModelProxy,
  createPromptRoute,
  createRunGuard,
  createShareStore,
  type PromptRouteOptions,
  type RunLogStore,
} from '@cueline/edge';
import { createRedisLimits, createRedisRuns, createRedisShares } from '@cueline/edge/redis';
import { describe, expect, onTestFinished, test } from 'vitest';
import { ask as askProxy, fixture, key, refused } from '../proxy/support.ts';
import { ask, greet, post, refusal, slowly, testRoute } from './routes.ts';

const failure = new Error('The secrets are away.');
const rejects = (): never => Promise.reject(failure) as never;

/** Returns the rejections that would have ended the server's process. */
function watchRejections(): () => Promise<unknown[]> {
  const found: unknown[] = [];
  const listeners = process.listeners('unhandledRejection');
  const add = (error: unknown): void => void found.push(error);
  process.removeAllListeners('unhandledRejection').on('unhandledRejection', add);
  onTestFinished(() => {
    process.off('unhandledRejection', add);
    for (const listener of listeners) process.on('unhandledRejection', listener);
  });
  return async () => {
    await new Promise((resolve) => setTimeout(resolve, 5));
    return found;
  };
}

const fileMessage = {
  id: 'm',
  role: 'user',
  parts: [{ type: 'file', mediaType: 'image/png', url: 'https://files.example/a.png' }],
};

describe.each<[string, () => never]>([
  ['resolves', () => Promise.resolve(true) as never],
  ['rejects', rejects],
])('an option that must not return a promise, and returns one that %s', (_how, promised) => {
  test.each<[string, Partial<PromptRouteOptions>, object]>([
    ['models', { models: promised }, { input: {} }],
    ['fileUrls', { fileUrls: promised }, { input: {}, messages: [fileMessage] }],
  ])('%s is reported to the operator, who reads what to write', async (name, options, body) => {
    const rejections = watchRejections();
    const hub = testRoute(['Hi.'], options);
    expect(await refusal(await hub.route(post(body)))).toMatchObject({ status: 500, code: 'internal' });
    expect(hub.events).toEqual([
      {
        type: 'failed',
        error: expect.objectContaining({
          code: 'invalid_options',
          message: expect.stringContaining(`${name} returned a promise. Get what it needs before, and write`),
        }),
      },
    ]);
    expect(await rejections()).toEqual([]);
  });

  test('apiKey of the proxy is reported to the operator, and nothing is sent', async () => {
    const rejections = watchRejections();
    const { proxy, sent, events } = fixture(undefined, {
      providers: { openai: { apiKey: promised, models: ['gpt-x'] } },
    });
    expect(await refused(proxy(askProxy()))).toEqual({ status: 503, code: 'unavailable' });
    expect(sent).toEqual([]);
    expect(events).toEqual([
      {
        type: 'failed',
        error: expect.objectContaining({
          code: 'invalid_options',
          message: expect.stringContaining('apiKey returned a promise. Get the key before, and write'),
        }),
      },
      expect.objectContaining({ type: 'refused', status: 503, code: 'unavailable' }),
    ]);
    expect(await rejections()).toEqual([]);
  });
});

describe('a promise in place of an option is refused when the server starts, and its rejection is handled', () => {
  const required = { origins: ['https://play.example'], auth: async () => ({ subject: 'ada' }) };
  const model = scriptedModel(['Hi.']);

  test.each<[what: string, create: () => unknown, where: string]>([
    [
      'limits of a route, which would limit nothing',
      () => createPromptRoute(greet, { ...required, model, limits: rejects() }),
      'createPromptRoute: limits',
    ],
    [
      'model of a route',
      () => createPromptRoute(greet, { ...required, model: rejects() }),
      'createPromptRoute: model',
    ],
    [
      'providers of a route',
      () => createPromptRoute(greet, { ...required, model, models: { providers: rejects() } }),
      'createPromptRoute: models: providers',
    ],
    [
      'limits of a proxy',
      () =>
        createModelProxy({
          ...required,
          providers: { openai: { models: ['gpt-x'], apiKey: key } },
          limits: rejects(),
        }),
      'createModelProxy: limits',
    ],
    [
      'apiKey of a proxy',
      () =>
        createModelProxy({ ...required, providers: { openai: { models: ['gpt-x'], apiKey: rejects() } } }),
      'createModelProxy: providers.openai: apiKey',
    ],
    ['limits of a guard', () => createRunGuard({ limits: rejects() }), 'createRunGuard: limits'],
    [
      'limits of a share store',
      () => createShareStore({ ...required, limits: rejects() }),
      'createShareStore: limits',
    ],
  ])('%s', async (_what, create, where) => {
    const rejections = watchRejections();
    expect(create).toThrow(`${where} is a promise. Write await before it.`);
    expect(await rejections()).toEqual([]);
  });

  test.each<[name: string, create: (client: never) => unknown]>([
    ['createRedisRuns', createRedisRuns],
    ['createRedisLimits', createRedisLimits],
    ['createRedisShares', createRedisShares],
  ])('the client of %s', async (name, create) => {
    const rejections = watchRejections();
    expect(() => create(rejects())).toThrow(
      `The client of ${name} has no method "eval". It is a promise: await it.`,
    );
    expect(await rejections()).toEqual([]);
  });
});

test.each<[what: string, options: Partial<PromptRouteOptions>, message: string]>([
  ['auth', { auth: async () => ({ subject: 'ada', dailyTokens: rejects() }) }, 'auth returned dailyTokens'],
  ['models', { models: () => ({ providers: rejects() }) }, 'What models returned: providers is a promise.'],
  ['accept', { accept: async () => ({ options: rejects() }) }, 'What accept returned: options is a promise.'],
])('a promise in what %s returned is reported, and its rejection is handled', async (_, options, message) => {
  const rejections = watchRejections();
  const hub = testRoute(['Hi.'], options);
  expect((await hub.route(post({ input: {} }))).status).toBeGreaterThanOrEqual(500);
  expect(hub.events).toContainEqual({
    type: 'failed',
    error: expect.objectContaining({
      code: 'invalid_options',
      message: expect.stringContaining(message),
    }),
  });
  expect(await rejections()).toEqual([]);
});

test('an apiKey that throws is reported without its text, which may contain a key', async () => {
  const { proxy, events } = fixture(undefined, {
    providers: {
      openai: {
        models: ['gpt-x'],
        apiKey: () => {
          throw new Error(`no ${key}`);
        },
      },
    },
  });
  expect(await refused(proxy(askProxy()))).toEqual({ status: 503, code: 'unavailable' });
  expect(events.map(({ type }) => type)).toEqual(['failed', 'refused']);
  const [failed] = events.flatMap((event) => (event.type === 'failed' ? [event.error as Error] : []));
  expect([failed?.message, failed?.stack, failed?.cause].join()).not.toContain(key);
});

describe('a store whose methods return promises of what they should return', () => {
  const promising = (
    inner: RunLogStore,
    names: readonly ('read' | 'messages')[],
    fail: boolean,
  ): RunLogStore =>
    new Proxy(inner, {
      get(target, name) {
        const method: unknown = Reflect.get(target, name);
        if (!names.some((each) => each === name)) return method;
        return (...args: unknown[]) =>
          fail
            ? rejects()
            : Promise.resolve((method as (...args: unknown[]) => unknown).call(target, ...args));
      },
    });

  test('works', async () => {
    const rejections = watchRejections();
    const store = promising(createMemoryRuns(), ['read', 'messages'], false);
    const here = testRoute([slowly('Hello to Ada.', 2)], { store });
    const there = testRoute([], { store });
    const response = await here.route(post({ input: {} }));
    const rest = await there.route(ask('GET', `?run=${response.headers.get('x-cueline-run')}`));
    expect(await rest.text()).toContain('"outcome":"done"');
    expect(there.events).toEqual([]);
    expect(await rejections()).toEqual([]);
  });

  test('that reject is reported once, and the run continues', async () => {
    const rejections = watchRejections();
    const hub = testRoute([slowly('Hello to Ada.', 2)], {
      store: promising(createMemoryRuns(), ['messages'], true),
    });
    const response = await hub.route(post({ input: {} }));
    expect(await response.text()).toContain('"outcome":"done"');
    expect(hub.events.flatMap((event) => (event.type === 'failed' ? [event.error] : []))).toEqual([failure]);
    expect(await rejections()).toEqual([]);
  });
});
