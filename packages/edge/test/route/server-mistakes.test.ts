import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createRun, CuelineError, definePrompt, remotePrompt, type RunEvent } from '@cueline/core';
import type { ScriptedTurn } from '@cueline/core/testing';
import { createMemoryLimits, createPromptRoute } from '@cueline/edge';
import { toNodeHandler } from 'srvx/node';
import { afterEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import * as z from 'zod';
import { read } from '../stores/events.ts';
import { request } from './greet-request.ts';
import { all, ask, client, greet, idOf, never, post, refusal, slowly, testRoute } from './routes.ts';

afterEach(() => void vi.useRealTimers());

describe('an error of the server', () => {
  const secret = 'sk-very-secret-key-0123456789';

  test('is reported on the server only', async () => {
    const hub = testRoute([], {
      accept: () => {
        throw new TypeError(`no ${secret}`);
      },
    });
    const response = await hub.route(post({ input: {} }));
    const text = await response.text();
    expect([response.status, JSON.parse(text)]).toEqual([
      500,
      { error: { code: 'internal', message: expect.any(String) } },
    ]);
    expect(text).not.toContain('secret');
    expect(text).not.toContain('.ts:');
    expect(hub.events).toEqual([{ type: 'failed', error: expect.any(TypeError) }]);
  });

  test('is answered and reported also if its value cannot be read', async () => {
    const { proxy: unreadable, revoke } = Proxy.revocable({}, {});
    revoke();
    const hub = testRoute([], {
      models: () => {
        throw unreadable;
      },
    });
    expect(await refusal(await hub.route(post({ input: {} })))).toMatchObject({
      status: 500,
      code: 'internal',
    });
    expect(hub.events.map(({ type }) => type)).toEqual(['failed']);
  });

  test.each([
    [{ id: 'ada' }, "auth returned a subject of type undefined. Return a text that is the caller's"],
    [{ subject: 7 }, "auth returned a subject of type number. Return a text that is the caller's"],
    [
      { subject: 'ada', dailyToken: 500 },
      'auth returned "dailyToken", which limits nothing. Return dailyTokens',
    ],
    [{ subject: 'ada', dailyTokens: '500' }, 'auth returned dailyTokens: "500". Return a number'],
    [{ subject: 'ada', dailyCost: Number.NaN }, 'auth returned dailyCost: NaN. Return a number'],
    [{ subject: 'ada', dailyTokens: null }, 'auth returned dailyTokens: null. Return a number'],
  ])(
    'auth that returns %j is reported on the server, and the caller is not asked to sign in',
    async (identity, says) => {
      const hub = testRoute([], { auth: () => identity as never });
      expect(await refusal(await hub.route(post({ input: {} })))).toMatchObject({
        status: 503,
        code: 'unavailable',
      });
      expect(hub.events).toEqual([
        {
          type: 'failed',
          error: expect.objectContaining({ code: 'invalid_options', message: expect.stringContaining(says) }),
        },
        { type: 'refused', code: 'unavailable', status: 503, method: 'POST' },
      ]);
    },
  );

  test('auth that throws is reported once a minute, and auth that hangs with the reason', async () => {
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    const failure = new Error('The database of the sessions is down.');
    let answer: () => Promise<never> = () => Promise.reject(failure);
    const hub = testRoute([], { auth: () => answer() });
    const failures = (): unknown[] =>
      hub.events.flatMap((event) => (event.type === 'failed' ? [event.error] : []));
    for (const _ of [1, 2]) expect((await hub.route(post({ input: {} }))).status).toBe(503);
    expect(failures()).toEqual([failure]);
    answer = () => new Promise(() => {});
    await vi.advanceTimersByTimeAsync(60_000);
    const hanging = hub.route(post({ input: {} }));
    await vi.advanceTimersByTimeAsync(10_001);
    expect((await hanging).status).toBe(503);
    expect(failures()).toEqual([failure, expect.objectContaining({ code: 'timeout' })]);
    expect(String(failures()[1])).toContain('auth returned nothing for ten seconds');
  });

  test('auth may return other fields of the caller', async () => {
    const hub = testRoute(['Hi.'], {
      auth: () => ({ subject: 'ada', name: 'Ada', dailyGoal: 3, dailyTokens: undefined }) as never,
    });
    expect((await hub.route(post({ input: request.input }))).status).toBe(200);
  });

  const leaking = definePrompt(
    'leaking',
    (prompt, { where }) => {
      prompt.defTool('look', 'Looks', z.object({ at: z.string() }), ({ at }) => {
        if (at === 'Bob') throw new CuelineError('bad_request', 'Bob is not to be looked at.');
        throw new RangeError(`connect postgres://app:hunter2@db/${at}`);
      });
      if (where === 'prompt') throw new TypeError('connect postgres://app:hunter2@db');
      if (where === 'words') throw new CuelineError('bad_request', 'Say less.');
      prompt.defHook(() => {
        if (where === 'hook') throw new TypeError('connect postgres://app:hunter2@db');
        return undefined;
      });
      prompt.$`Look.`;
    },
    { input: z.object({ where: z.string() }) },
  );
  const looksAt = (at: string): ScriptedTurn => [{ toolCall: { name: 'look', input: { at } } }];

  test.each([
    ['prompt', [], 'error'],
    ['hook', [], 'error'],
    ['tool', [looksAt('Ada'), 'Done.'], 'done'],
  ])(
    'of a %s is reported on the server, and the client learns only that it happened',
    async (where, script, outcome) => {
      for (const showErrors of [undefined, true]) {
        // with the text that the model reads
        const showRequests = true;
        const hub = testRoute(script, {
          definition: leaking,
          showRequests,
          ...(showErrors && { showErrors }),
        });
        const response = await hub.route(post({ input: { where } }));
        const log = await response.text();
        expect(log).toContain(`"outcome":"${outcome}"`);
        expect([log.includes('hunter2'), log.includes('Something failed on this server.')]).toEqual([
          showErrors === true,
          showErrors === undefined,
        ]);
        const runId = response.headers.get('x-cueline-run')!;
        expect(JSON.stringify(await all(read(hub.store, runId, -1, never()))).includes('hunter2')).toBe(
          showErrors === true,
        );
        const failures = hub.events.flatMap((event) =>
          event.type === 'failed' ? [String(event.error)] : [],
        );
        expect(failures).toEqual(showErrors ? [] : [expect.stringContaining('hunter2')]);
        // the model can try another way
        const [, again] = hub.model.calls;
        expect(again === undefined || JSON.stringify(again.prompt).includes('hunter2')).toBe(true);
      }
    },
  );

  test('reaches the client if it is a CuelineError', async () => {
    const hub = testRoute([looksAt('Bob'), 'Done.'], { definition: leaking, showRequests: true });
    expect(await (await hub.route(post({ input: { where: 'words' } }))).text()).toContain('Say less.');
    const log = await (await hub.route(post({ input: { where: 'tool' } }))).text();
    expect(log.match(/Bob is not to be looked at\./g)?.length).toBe(2);
    expect(hub.events.filter(({ type }) => type === 'failed')).toEqual([]);
  });

  test('in a listener does not affect the run', async () => {
    const full: () => unknown = async () => {
      throw new Error('The log is full.');
    };
    const hub = testRoute(['Hi.'], { onEvent: full });
    expect((await all(client(hub).start(request, never()))).at(-1)).toMatchObject({ outcome: 'done' });
  });

  test('a key is in no event', async () => {
    const hub = testRoute([], {
      model: 'openai:gpt-x',
      models: {
        env: { OPENAI_API_KEY: secret },
        fetch: async () => Response.json({ error: { message: `Bad key ${secret}` } }, { status: 401 }),
      },
    });
    const text = await (await hub.route(post({ input: {} }))).text();
    expect(text).toContain('"code":"auth"');
    expect(text).not.toContain(secret);
  });

  test('in the options is reported when the route is created', () => {
    const make =
      (options: object, definition: unknown = greet) =>
      () =>
        createPromptRoute(definition as typeof greet, { origins: [], auth: async () => null, ...options });
    expect(make({ limits: { stepz: 1 } })).toThrow(
      'There is no limit "stepz". Known: bodyBytes, concurrent, rpm, dailyTokens, totalDailyTokens, dailyCost, totalDailyCost, maxOutputTokens, contextTokens, memoryBytes, runMs, replayMs, quietMs, commandBytes, inputBytes, inputNodes, inputDepth, requests, streams, streamsPerRun, steps',
    );
    expect(make({ orgins: [] })).toThrow('createPromptRoute has no "orgins". Did you mean origins?');
    expect(make({ options: { maxTokens: 5 } })).toThrow(
      'createPromptRoute: options has no "maxTokens". It is now maxOutputTokens: { maxOutputTokens: 1000 }.',
    );
    expect(make({ limits: { rpm: 0 } })).toThrow('limits.rpm is 0. Give a number of at least 1.');
    expect(make({ limits: { runMs: NaN } })).toThrow('limits.runMs is NaN.');
    expect(make({ limits: { contextTokens: Infinity } })).toThrow(
      'Give the most tokens that one of the models',
    );
    expect(make({}, [])).toThrow('There is no prompt.');
    expect(make({}, [greet, greet])).toThrow('Two prompts have the name "greet".');
    expect(make({}, remotePrompt('greet'))).toThrow('"greet" is a remotePrompt, which has only a name.');
    expect(make({}, () => {})).toThrow("Pass what definePrompt('name', …) returns.");
    expect(make({ origins: ['*'] })).toThrow("origins has '*'");
    expect(make({ auth: undefined })).toThrow('auth is missing');
    const open = { auth: 'none', address: () => '10.0.0.1' };
    const error = expect.objectContaining({
      code: 'invalid_options',
      message: expect.stringContaining('limits: { dailyTokens: 200_000 }'),
    });
    expect(make(open)).toThrow(error);
    expect(make({ ...open, limits: { tokens: 1_000 } })).toThrow(error);
    expect(make({ ...open, limits: { dailyTokens: Infinity } })).not.toThrow();
  });
});

test('an accept function that hangs is a 503', async () => {
  vi.useFakeTimers();
  const hub = testRoute(['Never.'], { accept: () => new Promise(() => {}) });
  const answer = hub.route(post({ input: {} }));
  await vi.advanceTimersByTimeAsync(10_001);
  expect(await refusal(await answer)).toMatchObject({ status: 503, code: 'unavailable' });
  expect(hub.model.calls).toHaveLength(0);
});

test('a body that was read before the handler got it is named, as by a body parser of Express', async () => {
  const { route } = testRoute(['Never.']);
  const listener = toNodeHandler(route) as RequestListener;
  const server = createServer((incoming, response) => {
    incoming.on('data', () => {});
    incoming.on('end', () => listener(incoming, response));
  });
  server.listen(0, 'localhost');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  const { headers } = post({});
  const response = await fetch(`http://localhost:${port}/`, {
    method: 'POST',
    headers,
    body: '{"input":{}}',
  });
  expect(response.status).toBe(400);
  expect(await response.text()).toContain('such as express.json(), has read it before this handler');
});

test.each(['throws', 'rejects'])('a waitUntil that %s does not affect the run', async (how) => {
  const error = new TypeError('Illegal invocation');
  const hub = testRoute(['Hi.'], {
    waitUntil: () => {
      if (how === 'rejects') return Promise.reject<never>(error) as never;
      throw error;
    },
  });
  expect((await all(client(hub).start(request, never()))).at(-1)).toMatchObject({ outcome: 'done' });
  expect(hub.events).toContainEqual({ type: 'failed', error, runId: expect.stringMatching(/^run-/) });
});

describe('a failing store', () => {
  const broken = (): Promise<never> => Promise.reject(new Error('ECONNREFUSED redis:6379'));

  test.each(['find', 'create', 'get'] as const)(
    'at the start (%s) is a 503, and nothing starts',
    async (name) => {
      const hub = testRoute(['Never.']);
      vi.spyOn(hub.store, name).mockImplementation(broken);
      const response = await hub.route(
        name === 'get' ? ask('GET', '?run=run-1') : post({ input: {}, key: 'k' }),
      );
      expect(response.headers.get('retry-after')).toBe('1');
      const said = await refusal(response);
      expect(said).toMatchObject({ status: 503, code: 'unavailable' });
      expect(said.message).not.toContain('redis');
      expect(hub.model.calls).toHaveLength(0);
      expect(hub.events[0]).toEqual({
        type: 'failed',
        error: expect.objectContaining({ message: 'ECONNREFUSED redis:6379' }),
      });
    },
  );

  test('that hangs is a 503', async () => {
    vi.useFakeTimers();
    const hub = testRoute(['Never.']);
    vi.spyOn(hub.store, 'find').mockImplementation(() => new Promise(() => {}));
    const answer = hub.route(post({ input: {}, key: 'k' }));
    await vi.advanceTimersByTimeAsync(10_001);
    expect((await answer).status).toBe(503);
  });

  test('that creates a run after its start was refused forgets it, so that the key starts a new one', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    const hub = testRoute(['Hi.']);
    const { create, forget } = hub.store;
    vi.spyOn(hub.store, 'create').mockImplementationOnce(async (run) => {
      await new Promise((resolve) => setTimeout(resolve, 11_000));
      return create(run);
    });
    const forgotten = vi.spyOn(hub.store, 'forget').mockImplementation(forget!);
    const answer = hub.route(post({ input: {}, key: 'k' }));
    await vi.advanceTimersByTimeAsync(10_500);
    expect((await answer).status).toBe(503);
    await vi.advanceTimersByTimeAsync(1_000);
    expect(forgotten).toHaveBeenCalledTimes(1);
    vi.useRealTimers();
    const again = await hub.route(post({ input: {}, key: 'k' }));
    expect(await again.text()).toContain('"outcome":"done"');
  });

  test('of limits is a 503, and a reservation is released if the run could not be stored', async () => {
    const limitStore = createMemoryLimits();
    const down = testRoute(['Never.'], { limitStore: { ...limitStore, reserve: broken } });
    expect((await down.route(post({ input: {} }))).status).toBe(503);
    const hub = testRoute(['Hi.'], { limitStore, limits: { concurrent: 1 } });
    const create = vi.spyOn(hub.store, 'create').mockImplementationOnce(broken);
    expect((await hub.route(post({ input: {} }))).status).toBe(503);
    const next = await hub.route(post({ input: {} }));
    expect(next.status).toBe(200);
    await next.text();
    expect(create).toHaveBeenCalledTimes(2);
  });

  test('in the middle does not end the run, which warns once and is stored once the store is back', async () => {
    const hub = testRoute([slowly('Hello to all of you.', 40)]);
    let writes = 0;
    const { append } = hub.store;
    vi.spyOn(hub.store, 'append').mockImplementation((...given) => {
      writes += 1;
      return writes > 2 && writes < 5 ? broken() : append(...given);
    });
    const log = await all(client(hub).start(request, never()));
    expect(log.map(({ seq }) => seq)).toEqual(log.map((_, index) => index));
    expect(log.filter(({ type }) => type === 'warning')).toEqual([
      expect.objectContaining({ message: expect.stringContaining('could not be stored') }),
    ]);
    expect(log.at(-1)).toMatchObject({ type: 'run-end', outcome: 'done' });
    const runId = idOf(log);
    expect(await all(read(hub.store, runId, -1, never()))).toEqual(log);
    expect(hub.events).toContainEqual({ type: 'failed', runId, error: expect.any(Error) });
  });

  test('that never returns does not stop the run', async () => {
    const hub = testRoute(['Hello.']);
    vi.spyOn(hub.store, 'append').mockImplementation(broken);
    const run = createRun(greet, { executor: client(hub) });
    expect(await run.start({ name: 'Ada' })).toBe('Hello.');
    const again: RunEvent[] = await all(client(hub).attach(run.getState().runId, -1, never())!);
    expect(again).toEqual(run.log());
  });
});
