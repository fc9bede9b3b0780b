import { definePrompt, viaRoute, type RouteOptions, type RunRequest } from '@cueline/core';
import { scriptedModel } from '@cueline/core/testing';
import { describe, expect, test } from 'vitest';
import { json, play, timeless } from '../support.ts';
import { cutAfter } from '../support/memory-route.ts';
import { address, asking, greet, never, read, request, setUp, turns, until } from './route.ts';

describe('A run by route', () => {
  test('has the same log as in the page', async () => {
    const { run, hub, model } = setUp(turns);
    expect(await run.start({ name: 'Ada' })).toBe('Hello Ada.');
    expect(run.log()).toEqual(json(hub.log()));
    const here = await play((prompt) => greet.run(prompt, { name: 'Ada' }), turns, {});
    const nameless = here.events.map((event) =>
      event.type === 'run-start' ? { ...event, name: 'greet', input: { name: 'Ada' } } : event,
    );
    expect(timeless(run.log())).toEqual(timeless(nameless));
    expect(hub.asked()).toEqual(['POST']);
    expect(model.calls).toHaveLength(2);
  });

  test('is requested with the name of the prompt and its input and options as JSON', async () => {
    const { hub, executor } = setUp(
      ['Hi.'],
      {},
      { headers: { authorization: 'Bearer t' }, credentials: 'include' },
    );
    const messages = [{ id: 'u', role: 'user' as const, parts: [{ type: 'text' as const, text: 'And?' }] }];
    const options = { temperature: 0.5, instructions: undefined, abortSignal: never() };
    await read(executor.start(request({ messages, model: 'openai:x', options, key: 'k' }), never()));
    expect(hub.bodies).toEqual([
      {
        prompt: 'greet',
        input: { name: 'Ada' },
        messages,
        model: 'openai:x',
        key: 'k',
        options: { temperature: 0.5 },
      },
    ]);
    const [sent] = hub.requests;
    expect([sent?.url, sent?.credentials, ...(sent?.headers ?? [])]).toEqual([
      address,
      'include',
      ['accept', 'text/event-stream'],
      ['authorization', 'Bearer t'],
      ['content-type', 'application/json'],
    ]);
  });

  test('computes its headers for each request', async () => {
    let made = 0;
    const headers = async () => ({ authorization: `Bearer ${made++}` });
    const { hub, run } = setUp(
      turns,
      { tamper: (body, n) => (n < 2 ? cutAfter(body, 2) : body) },
      { headers },
    );
    await run.start({ name: 'Ada' });
    expect(hub.requests.map((one) => one.headers.get('authorization'))).toEqual([
      'Bearer 0',
      'Bearer 1',
      'Bearer 2',
    ]);
  });

  test('keeps the query parameters of the URL, and escapes the id', async () => {
    const { hub } = setUp([]);
    const executor = viaRoute(new URL(`${address}?tenant=a#x`), { fetch: hub.fetch });
    await read(executor.attach!('a&b', 7, never())!);
    expect(hub.requests[0]?.url).toBe(`${address}?tenant=a&run=a%26b`);
  });
});

describe('A command by route', () => {
  test('answers an approval', async () => {
    const { run, hub } = setUp(asking, { options: { approval: true } });
    const text = run.start({ name: 'Ada' });
    await until(() => run.getState().approvals.length === 1);
    const { approvalId } = run.getState().approvals[0]!;
    expect(await run.respondToApproval('nothing', { approved: true })).toEqual({
      accepted: false,
      reason: expect.any(String) as string,
    });
    expect(await run.respondToApproval(approvalId, { approved: true })).toEqual({ accepted: true });
    expect(await text).toBe('Done.');
    expect(hub.bodies.slice(1)).toEqual([
      { type: 'approval-response', approvalId: 'nothing', response: { approved: true } },
      { type: 'approval-response', approvalId, response: { approved: true } },
    ]);
  });

  test('is refused if the run does not exist, and is an error if it fails or is not JSON', async () => {
    const command = { type: 'approval-response', approvalId: 'x', response: { approved: true } } as const;
    const { executor } = setUp([]);
    expect(await executor.send?.('gone', command)).toEqual({
      accepted: false,
      reason: 'The run is not in progress.',
    });
    const answers: [Response | Error, string][] = [
      [new TypeError('Failed to fetch'), 'network'],
      [new Response('', { status: 401 }), 'auth'],
      [new Response('<html>', { headers: { 'content-type': 'text/html' } }), 'stream_malformed'],
      [Response.json([1]), 'stream_malformed'],
      [new Response('{', { headers: { 'content-type': 'application/json' } }), 'stream_malformed'],
    ];
    for (const [answer, code] of answers) {
      const failing = setUp([], {
        instead: () => {
          if (answer instanceof Error) throw answer;
          return answer;
        },
      });
      await expect(failing.executor.send?.('r', command)).rejects.toMatchObject({ code });
      expect(failing.hub.asked()).toEqual(['POST']);
    }
    const date = { approved: true, input: { at: new Date(0) } } as const;
    await expect(executor.send?.('r', { ...command, response: date })).rejects.toMatchObject({
      code: 'invalid_options',
      message:
        'response.input.at is an object of class Date, which cannot be sent to a route. Leave it out, pass plain JSON, or run the prompt with inProcess().',
    });
  });
});

describe('A response without events', () => {
  const html = { headers: { 'content-type': 'text/html; charset=utf-8' } };
  test.each<[string, () => Response, object]>([
    [
      'its own error',
      () => Response.json({ error: { code: 'budget_exceeded', message: 'No more today.' } }, { status: 402 }),
      { code: 'budget_exceeded', message: 'No more today.', details: { statusCode: 402 } },
    ],
    [
      'its own error with an invalid code',
      () => Response.json({ error: { code: 'Not OK!', message: 'No.' } }, { status: 400 }),
      { code: 'bad_request', message: 'No.', details: { statusCode: 400 } },
    ],
    [
      'its own error with a code that a run cannot have',
      () => Response.json({ error: { code: 'unsupported_field', message: 'No.' } }, { status: 422 }),
      {
        code: 'bad_request',
        message: 'No.',
        details: { statusCode: 422, routeCode: 'unsupported_field' },
      },
    ],
    [
      'its own error with a code that this version does not know',
      () => Response.json({ error: { code: 'on_holiday', message: 'No.' } }, { status: 403 }),
      { code: 'auth', message: 'No.', details: { statusCode: 403, routeCode: 'on_holiday' } },
    ],
    [
      'its own error with a key in it',
      () =>
        Response.json(
          { error: { message: 'Wrong key sk-abcdefghijklmnopqrstuvwxyz0123456789.' } },
          { status: 401 },
        ),
      { code: 'auth', message: 'Wrong key [redacted].' },
    ],
    [
      'no credentials',
      () => new Response('', { status: 401, statusText: 'Unauthorized' }),
      {
        code: 'auth',
        message: 'The route answered 401 Unauthorized. Sign in, or check the headers that are sent.',
      },
    ],
    ['not allowed', () => new Response('<html>', { status: 403, ...html }), { code: 'auth' }],
    [
      'not found',
      () => new Response('Not found', { status: 404 }),
      {
        code: 'bad_request',
        message: 'The route answered 404. Check the URL: there is no prompt route at it.',
      },
    ],
    [
      'too many requests',
      () => new Response('', { status: 429, headers: { 'retry-after': '5' } }),
      { code: 'rate_limited', details: { statusCode: 429, retryAfter: '5' } },
    ],
    ['too large', () => new Response('', { status: 413 }), { code: 'too_large' }],
    ['a server error', () => new Response('{"error":', { status: 500 }), { code: 'provider_error' }],
    [
      'a web page',
      () => new Response('<html>', html),
      {
        code: 'stream_malformed',
        message:
          'The route answered 200 with text/html; charset=utf-8 instead of a stream of events (text/event-stream). Check the URL, and that no login page or proxy answers in place of the route.',
      },
    ],
    ['nothing', () => new Response(null, { status: 204 }), { code: 'stream_malformed' }],
    [
      'another stream',
      () => new Response('data: {"type":"start"}\n\n', { headers: { 'content-type': 'text/event-stream' } }),
      { code: 'stream_malformed' },
    ],
  ])('%s', async (_, answer, error) => {
    const { run, hub } = setUp([], { instead: answer });
    await expect(run.start({ name: 'Ada' })).rejects.toMatchObject(error);
    expect(run.getState()).toMatchObject({ status: 'error', error });
    expect(hub.asked()).toEqual(['POST']);
  });

  test.each([
    [503, undefined, 3, { code: 'overloaded', details: { statusCode: 503, attempts: 3 } }],
    [429, 'k', 1, { code: 'rate_limited' }],
  ])('%i to a start with the key %s is an error after %i requests', async (status, key, count, error) => {
    const { run, hub } = setUp([], { instead: () => new Response('', { status }) });
    const started = run.start({ name: 'Ada' }, key === undefined ? {} : { key });
    await expect(started).rejects.toMatchObject(error);
    expect(hub.asked()).toEqual(Array.from({ length: count }, () => 'POST'));
  });

  test('a start with a key is sent again after a temporary 503', async () => {
    const { run, hub } = setUp(turns, {
      instead: () => (hub.asked().length < 3 ? new Response('', { status: 503 }) : undefined),
    });
    expect(await run.start({ name: 'Ada' }, { key: 'k' })).toBe('Hello Ada.');
    expect(hub.asked()).toEqual(['POST', 'POST', 'POST']);
  });

  test('an endless error body is read only up to a bound', async () => {
    let sent = 0;
    const body = new ReadableStream<Uint8Array>({
      pull(controller) {
        sent += 1;
        controller.enqueue(new Uint8Array(16 * 1024).fill(120));
      },
    });
    const { run } = setUp([], { instead: () => new Response(body, { status: 500 }) });
    await expect(run.start({ name: 'Ada' })).rejects.toMatchObject({ code: 'provider_error' });
    expect(sent).toBeLessThan(10);
  });
});

describe('A request that cannot be sent', () => {
  const circle: Record<string, unknown> = {};
  circle['self'] = circle;
  let deep: unknown = 1;
  for (let depth = 0; depth < 50_000; depth++) deep = [deep];
  const named = definePrompt('greet', () => {});
  test.each<[string, Partial<RunRequest>]>([
    ['model is an object', { model: scriptedModel([]) }],
    ['options.onStepFinish is a function', { options: { onStepFinish: () => {} } }],
    [
      'options.tools.look.execute is a function',
      { options: { tools: { look: { execute: () => 1 } } } as never },
    ],
    ['options.limits.steps is Infinity', { options: { limits: { steps: Infinity } } }],
    ['input is a symbol', { input: Symbol('s') }],
    ['input is a bigint', { input: 1n }],
    ['input is NaN', { input: Number.NaN }],
    ['input.when is an object of class Date', { input: { when: new Date(0) } }],
    ['input.list[1] is an object of class Map', { input: { list: [1, new Map()] } }],
    ['input[0] is undefined', { input: [undefined] }],
    ['input.self contains itself', { input: circle }],
    ['The request to the route is nested too deeply', { input: deep }],
    [
      'A route finds a prompt by its name, but this prompt has no name',
      { definition: { ...named, name: '' } as never },
    ],
  ])('is refused before anything is sent: %s', async (message, given) => {
    const { hub, executor } = setUp([]);
    const { seen, error } = await read(executor.start({ ...request(), ...given } as RunRequest, never()));
    expect(error?.message.slice(0, message.length)).toBe(message);
    expect([seen, error?.code, hub.asked()]).toEqual([[], 'invalid_options', []]);
  });

  test('may have the same object in two places', async () => {
    const { hub, executor } = setUp(['Hi.']);
    const twice = { name: 'Ada' };
    const input = { ...twice, first: twice, others: [twice, twice], left: undefined };
    expect((await read(executor.start(request({ input, key: 'k' }), never()))).error).toBeUndefined();
    expect(hub.bodies).toEqual([{ prompt: 'greet', key: 'k', input: json(input) }]);
  });

  test('has invalid or throwing headers, which the error does not quote', async () => {
    const { executor, hub } = setUp([], {}, { headers: { authorization: 'Bearer secret\nnext' } });
    const { error } = await read(executor.start(request(), never()));
    expect(error).toEqual({
      code: 'invalid_options',
      message:
        'viaRoute: headers (authorization) has a character that HTTP does not allow, such as a line break.',
    });
    const throwing = setUp([], {}, { headers: () => Promise.reject(new Error('signed out')) });
    expect((await read(throwing.executor.start(request(), never()))).error).toEqual({
      code: 'script_error',
      message: 'viaRoute: headers threw: signed out',
      source: 'hook',
    });
    expect(hub.asked()).toEqual([]);
  });

  test('has an invalid URL, and the error leaves out what may be secret in it', async () => {
    const relative = viaRoute('/api/greet?token=secret');
    const { error } = await read(relative.start(request(), never()));
    expect(error).toMatchObject({ code: 'invalid_options' });
    expect(error?.message).toMatch(/^viaRoute: \/api\/greet is not a valid URL here\. Outside a page/);
    const withPassword = viaRoute('https://me:secret@example.test/api');
    expect((await read(withPassword.start(request(), never()))).error?.message).toMatch(
      /^viaRoute: https:\/\/example\.test\/api is not a valid URL here\./,
    );
  });

  test('has invalid options of the executor', async () => {
    const { hub } = setUp([]);
    const messageOf = async (url: string, options: RouteOptions) => {
      const executor = viaRoute(url, { ...options, fetch: hub.fetch });
      const { error } = await read(executor.start(request(), never()));
      return error?.code === 'invalid_options' ? error.message : error;
    };
    const noAddress = "viaRoute takes the URL of a route: viaRoute('/api/plan-day').";
    expect(await messageOf('', {})).toBe(noAddress);
    expect(await messageOf(undefined as never, {})).toBe(noAddress);
    expect(await messageOf(address, { retries: -1 })).toBe(
      'viaRoute: retries is -1. Pass a number of at least 0, or Infinity.',
    );
    expect(await messageOf(address, { retries: '3' as never })).toContain('retries is 3');
    expect(await messageOf(address, { idleMs: 0 })).toContain('of at least 1');
    expect(hub.asked()).toEqual([]);
  });
});
