import { createServer } from 'node:http';
import { text as textOf } from 'node:stream/consumers';
import {
  createRun,
  CuelineError,
  definePrompt,
  viaRoute,
  type Connectivity,
  type RouteOptions,
  type RunEvent,
  type RunRequest,
} from '@cueline/core';
import { scriptedModel, type ScriptedTurn } from '@cueline/core/testing';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { json, play, timeless } from '../support.ts';
import { createHub, cutAfter, type HubOptions } from '../support/hub.ts';

const address = 'https://example.test/api/greet';

const greet = definePrompt('greet', (prompt, input: { name: string }) => {
  prompt.defTool('look', 'Looks', z.object({ at: z.string() }), ({ at }) => `seen ${at}`);
  prompt.defTool('send', 'Sends', z.object({}), () => 'sent', { effect: 'external' });
  prompt.$`Greet ${input.name}.`;
});
const turns: ScriptedTurn[] = [[{ toolCall: { name: 'look', input: { at: 'Ada' } } }], 'Hello Ada.'];
const asking: ScriptedTurn[] = [[{ toolCall: { name: 'send', input: {} } }], 'Done.'];
/** Says a word, and is still at it when the test is over. */
const endless: ScriptedTurn[] = [[{ text: 'Wait' }, { delay: 60_000 }, { text: '.' }]];

function setUp(script: readonly ScriptedTurn[], hubOptions: HubOptions = {}, options: RouteOptions = {}) {
  const model = scriptedModel(script);
  const hub = createHub(greet, { model, ...hubOptions });
  const executor = viaRoute(address, { fetch: hub.fetch, retryDelay: () => 0, ...options });
  return { hub, model, executor, run: createRun(greet, { executor }) };
}

const request = (more: Partial<RunRequest<{ name: string }>> = {}): RunRequest<{ name: string }> => ({
  definition: greet,
  input: { name: 'Ada' },
  ...more,
});
const never = (): AbortSignal => new AbortController().signal;

/** What an iteration gave, and the error with which it ended. */
async function read(events: AsyncIterable<RunEvent>) {
  const seen: RunEvent[] = [];
  try {
    for await (const event of events) seen.push(event);
  } catch (error) {
    if (!CuelineError.isInstance(error)) throw error;
    return { seen, error: error.toJSON() };
  }
  return { seen };
}

const until = (condition: () => boolean) => expect.poll(condition, { timeout: 2_000 }).toBe(true);

describe('a run by route', () => {
  test('is what it would be in this page', async () => {
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

  test('is asked for with the name of the prompt and what JSON carries', async () => {
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

  test('makes its headers again for each request', async () => {
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

  test('keeps the parameters that the address has, and escapes the id', async () => {
    const { hub } = setUp([]);
    const executor = viaRoute(new URL(`${address}?tenant=a#x`), { fetch: hub.fetch });
    await read(executor.attach!('a&b', 7, never())!);
    expect(hub.requests[0]?.url).toBe(`${address}?tenant=a&run=a%26b`);
  });
});

describe('a connection that is lost', () => {
  test.each(['fails', 'ends'] as const)(
    '(it %s) after each event is made again, and nothing is missing or twice',
    async (how) => {
      const open: (boolean | undefined)[] = [];
      const { run, hub, model } = setUp(turns, {
        tamper: (body, n) => {
          // the request of a connection that is lost is over before the next is sent
          if (n > 0) open.push(!hub.requests[n - 1]?.signal.aborted);
          return cutAfter(body, 1, how);
        },
      });
      expect(await run.start({ name: 'Ada' })).toBe('Hello Ada.');
      expect(run.log()).toEqual(json(hub.log()));
      expect(hub.asked()).toEqual([
        'POST',
        ...run
          .log()
          .slice(0, -1)
          .map(({ seq }) => `GET ${seq}`),
      ]);
      expect(open).toEqual(
        run
          .log()
          .slice(1)
          .map(() => false),
      );
      expect(hub.requests.at(-1)?.signal.aborted).toBe(true);
      expect(model.calls).toHaveLength(2);
    },
  );

  test('wherever it is lost, the log is the same', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.nat(4), { maxLength: 8 }), fc.boolean(), async (cuts, backwards) => {
        const { executor, hub } = setUp(
          turns,
          {
            // the first connection has to say which run it is
            tamper: (body, n) =>
              cuts[n] === undefined ? body : cutAfter(body, n === 0 ? cuts[n] + 1 : cuts[n]),
            instead: (asked) => {
              // a route that knows no better begins again each time
              if (backwards) asked.headers.delete('last-event-id');
              return undefined;
            },
          },
          { retries: 100 },
        );
        const { seen, error } = await read(executor.start(request(), never()));
        expect(error).toBeUndefined();
        expect(seen).toEqual(json(hub.log()));
      }),
      { numRuns: 30 },
    );
  });

  test('is given up after so many tries in a row without anything new', async () => {
    const delays: number[] = [];
    const { executor, hub } = setUp(
      turns,
      { tamper: (body, n) => cutAfter(body, n < 2 ? 1 : 0) },
      { retries: 3, retryDelay: (attempt) => (delays.push(attempt), 0) },
    );
    const { seen, error } = await read(executor.start(request(), never()));
    expect(seen.map(({ seq }) => seq)).toEqual([0, 1]);
    expect(hub.asked()).toEqual(['POST', 'GET 0', 'GET 1', 'GET 1', 'GET 1']);
    expect(delays).toEqual([1, 1, 2, 3]);
    expect(error).toEqual({
      code: 'network',
      message:
        'The connection to the route was lost, and 3 more tries did not bring it back. The connection broke while events came over it. The run may still be going on there: retry() or attach() finds it again.',
    });
  });

  test('is lost, too, if nothing arrives for too long, or no answer', async () => {
    const silent = (): ReadableStream<Uint8Array> => new ReadableStream();
    const { run, hub } = setUp(
      turns,
      {
        tamper: (body, n) => (n === 0 ? cutAfter(body, 2) : n === 1 ? silent() : body),
        instead: (_, n) =>
          n === 2 && hub.asked().length === 3 ? new Promise<Response>(() => {}) : undefined,
      },
      { idleMs: 30 },
    );
    expect(await run.start({ name: 'Ada' })).toBe('Hello Ada.');
    expect(hub.asked()).toEqual(['POST', 'GET 1', 'GET 1', 'GET 1']);
  });

  test('without a network, uses up no tries until there is one', async () => {
    let online = true;
    const listeners = new Set<() => void>();
    const connectivity: Connectivity = {
      isOnline: () => online,
      subscribe(listener) {
        listeners.add(listener);
        return () => listeners.delete(listener);
      },
    };
    const { run, hub } = setUp(
      turns,
      {
        tamper: (body, n) => {
          if (n === 0) online = false;
          return n === 0 ? cutAfter(body, 2) : body;
        },
      },
      { connectivity, retries: 0 },
    );
    const text = run.start({ name: 'Ada' });
    text.catch(() => {});
    await until(() => run.log().length === 2 && listeners.size === 1);
    for (const listener of listeners) listener();
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(hub.asked()).toEqual(['POST']);
    online = true;
    for (const listener of listeners) listener();
    expect(await text).toBe('Hello Ada.');
    expect(hub.asked()).toEqual(['POST', 'GET 1']);
    expect(listeners.size).toBe(0);
  });

  test('a route that asks for a short pause gets it, and one that asks for a long pause is an error', async () => {
    const busy = (seconds: string) => (asked: Request, n: number) =>
      asked.method === 'GET' && n === 1 && hub?.asked().length === 2
        ? new Response('', { status: 503, headers: { 'retry-after': seconds } })
        : undefined;
    let { run, hub } = setUp(turns, {
      tamper: (body, n) => (n === 0 ? cutAfter(body, 2) : body),
      instead: (asked, n) => busy('0.05')(asked, n),
    });
    const before = performance.now();
    expect(await run.start({ name: 'Ada' })).toBe('Hello Ada.');
    expect(performance.now() - before).toBeGreaterThan(49);
    expect(hub.asked()).toEqual(['POST', 'GET 1', 'GET 1']);
    ({ run, hub } = setUp(turns, {
      tamper: (body, n) => (n === 0 ? cutAfter(body, 2) : body),
      instead: (asked, n) => busy('31')(asked, n),
    }));
    await expect(run.start({ name: 'Ada' })).rejects.toMatchObject({
      code: 'overloaded',
      details: { statusCode: 503, retryAfter: '31' },
    });
  });

  test('before the route has named its run: asked again, and started once', async () => {
    const tamper: HubOptions['tamper'] = (body, n) => (n === 0 ? cutAfter(body, 0) : body);
    for (const key of [undefined, 'mount']) {
      const { executor, hub, model } = setUp(turns, { tamper });
      const { seen } = await read(executor.start(request({ key }), never()));
      expect(seen).toEqual(json(hub.log()));
      expect(hub.asked()).toEqual(['POST', 'POST']);
      expect(model.calls).toHaveLength(2);
    }
  });

  test('the same for a request that fails, which is given up after two more', async () => {
    let failures = 1;
    const { executor, hub } = setUp(turns, {
      instead: () => {
        failures -= 1;
        if (failures >= 0) throw new TypeError('Failed to fetch');
        return undefined;
      },
    });
    expect((await read(executor.start(request(), never()))).error).toBeUndefined();
    expect(hub.asked()).toEqual(['POST', 'POST']);
    failures = Infinity;
    expect(await read(executor.start(request(), never()))).toEqual({
      seen: [],
      error: {
        code: 'network',
        message: `Could not reach ${address} (Failed to fetch). Check the connection, the address, and that the route is served. (3 attempts)`,
        details: { attempts: 3 },
      },
    });
    expect(hub.asked()).toHaveLength(5);
  });

  test('events that are missing, or are of another run, are an error', async () => {
    const sse = (...events: unknown[]): Response =>
      new Response(events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join(''), {
        headers: { 'content-type': 'text/event-stream' },
      });
    const start = {
      seq: 0,
      t: 0,
      type: 'run-start',
      v: 2,
      runId: 'r',
      model: 'm',
      messages: [],
      messageId: 'a',
    };
    const gap = setUp([], { instead: () => sse(start, { seq: 2, t: 0, type: 'warning', message: '' }) });
    expect(await read(gap.executor.start(request(), never()))).toEqual({
      seen: [start],
      error: {
        code: 'stream_malformed',
        message: 'The route left out events: after number 0 came number 2. Start the run again.',
      },
    });
    const other = setUp([], { instead: () => sse(start) });
    expect((await read(other.executor.attach!('q', 3, never())!)).error).toEqual({
      code: 'stream_malformed',
      message: 'The route was asked for run q and gave run r.',
    });
  });
});

describe('a run by route that is stopped', () => {
  test('is ended on the server, with its model call', async () => {
    const { run, hub, model } = setUp(endless);
    void run.start({ name: 'Ada' }).catch(() => {});
    await until(() => run.getState().text === 'Wait');
    run.stop();
    await until(() => run.getState().status === 'stopped');
    expect(run.log().map(({ seq }) => seq)).toEqual(run.log().map((_, index) => index));
    expect(run.log().at(-1)).toMatchObject({ type: 'run-end', outcome: 'stopped' });
    await until(() => hub.log().at(-1)?.type === 'run-end');
    expect(hub.log().at(-1)).toMatchObject({ outcome: 'stopped' });
    expect(model.calls[0]?.abortSignal?.aborted).toBe(true);
    expect(hub.asked()).toEqual(['POST', 'DELETE']);
    expect(hub.requests.map(({ keepalive }) => keepalive)).toEqual([false, true]);
    expect(hub.requests[1]?.headers.get('content-type')).toBeNull();
  });

  test('before its first event, is ended as soon as its id is known', async () => {
    let answer = (): void => {};
    const slow = new Promise<undefined>((resolve) => (answer = () => resolve(undefined)));
    const { executor, hub } = setUp(endless, {
      instead: (asked) => (asked.method === 'POST' ? slow : undefined),
    });
    const controller = new AbortController();
    const reading = read(executor.start(request(), controller.signal));
    await until(() => hub.asked().length === 1);
    controller.abort();
    const { seen } = await reading;
    expect(seen.map(({ type }) => type)).toEqual(['run-start', 'run-end']);
    expect(seen[1]).toEqual({ seq: 1, t: 0, type: 'run-end', outcome: 'stopped' });
    answer();
    await until(() => hub.asked().length === 2);
    expect(hub.asked()).toEqual(['POST', 'DELETE']);
    await until(() => hub.log().at(-1)?.type === 'run-end');
  });

  test('by its caller, before its first event', async () => {
    let answer = (): void => {};
    const slow = new Promise<undefined>((resolve) => (answer = () => resolve(undefined)));
    const { run, hub } = setUp(endless, { instead: (asked) => (asked.method === 'POST' ? slow : undefined) });
    void run.start({ name: 'Ada' }).catch(() => {});
    await until(() => hub.asked().length === 1);
    run.stop();
    expect(run.getState().status).toBe('stopped');
    answer();
    await until(() => hub.asked().length === 2);
    expect(hub.asked()).toEqual(['POST', 'DELETE']);
    await until(() => hub.log().at(-1)?.type === 'run-end');
    expect(hub.requests[0]?.signal.aborted).toBe(true);
  });

  test('before it was asked for, is never asked for', async () => {
    const { executor, hub } = setUp(endless);
    const { seen } = await read(executor.start(request(), AbortSignal.abort()));
    expect(seen.map(({ type }) => type)).toEqual(['run-start', 'run-end']);
    expect(hub.asked()).toEqual([]);
  });

  test('by a signal among its options, too', async () => {
    const { executor, hub } = setUp(endless);
    const controller = new AbortController();
    const reading = read(executor.start(request({ options: { abortSignal: controller.signal } }), never()));
    await until(() => hub.runs.size === 1 && hub.log().some(({ type }) => type === 'text-delta'));
    controller.abort();
    expect((await reading).seen.at(-1)).toMatchObject({ type: 'run-end', outcome: 'stopped' });
    await until(() => hub.asked().includes('DELETE'));
  });

  test('while the connection is being made again, and the first request to stop fails', async () => {
    let deletes = 0;
    const { run, hub } = setUp(
      endless,
      {
        tamper: (body) => cutAfter(body, 2),
        instead: (asked) => {
          if (asked.method !== 'DELETE') return undefined;
          deletes += 1;
          if (deletes === 1) throw new TypeError('Failed to fetch');
          return deletes === 2 ? new Response('', { status: 502 }) : undefined;
        },
      },
      { retryDelay: (attempt) => (hub.asked().length === 1 ? 60_000 : attempt) },
    );
    void run.start({ name: 'Ada' }).catch(() => {});
    await until(() => run.log().length === 2);
    run.stop();
    await until(() => run.getState().status === 'stopped');
    await until(() => hub.log().at(-1)?.type === 'run-end');
    expect(hub.asked()).toEqual(['POST', 'DELETE', 'DELETE', 'DELETE']);
  });
});

describe('a caller that stops watching a run by route', () => {
  test('closes the connection at once, and the run continues', async () => {
    let closed = false;
    const { executor, hub } = setUp(asking, {
      options: { approval: true },
      tamper: (body) => {
        const reader = body.getReader();
        return new ReadableStream({
          async pull(controller) {
            const { done, value } = await reader.read();
            if (done) controller.close();
            else controller.enqueue(value);
          },
          cancel() {
            closed = true;
            return reader.cancel();
          },
        });
      },
    });
    const controller = new AbortController();
    const iterator = executor.start(request(), controller.signal)[Symbol.asyncIterator]();
    for (let last: string | undefined; last !== 'approval-request';) {
      const next = await iterator.next();
      if (next.done === true) throw new Error('It ended.');
      last = next.value.type;
    }
    const pending = iterator.next();
    await new Promise((resolve) => setTimeout(resolve, 5));
    await iterator.return?.();
    expect(await pending).toEqual({ done: true, value: undefined });
    expect(await iterator.next()).toEqual({ done: true, value: undefined });
    expect(closed).toBe(true);
    expect(hub.requests[0]?.signal.aborted).toBe(true);
    expect(hub.asked()).toEqual(['POST']);
    expect(hub.log().at(-1)?.type).toBe('approval-request');
    // the signal is still the run's
    controller.abort();
    await until(() => hub.log().at(-1)?.type === 'run-end');
    expect(hub.asked()).toEqual(['POST', 'DELETE']);
  });

  test('before there is an answer, closes it too', async () => {
    const { executor, hub } = setUp([], { instead: () => new Promise<Response>(() => {}) });
    const iterator = executor.start(request(), never())[Symbol.asyncIterator]();
    const pending = iterator.next();
    await until(() => hub.asked().length === 1);
    await iterator.return?.();
    expect(await pending).toEqual({ done: true, value: undefined });
    await until(() => hub.requests[0]?.signal.aborted === true);
  });

  test('between two polls, closes it too', async () => {
    const { executor, hub } = setUp(endless);
    const iterator = executor.start(request(), never())[Symbol.asyncIterator]();
    await iterator.next();
    await iterator.return?.();
    await until(() => hub.requests[0]?.signal.aborted === true);
    expect(hub.log().at(-1)?.type).not.toBe('run-end');
  });

  test('may come back, and gets what came after the last event', async () => {
    const { executor, hub } = setUp(turns);
    const iterator = executor.start(request(), never())[Symbol.asyncIterator]();
    await iterator.next();
    await iterator.return?.();
    const [runId = ''] = hub.runs.keys();
    const { seen } = await read(executor.attach!(runId, 2, never())!);
    expect(seen).toEqual(json(hub.log()).slice(3));
    const all = await read(executor.attach!(runId, -1, never())!);
    expect(all.seen).toEqual(json(hub.log()));
    expect(hub.asked()).toEqual(['POST', 'GET 2', 'GET']);
  });

  test('and returns to a run that no longer exists, gets an error', async () => {
    const { executor, hub } = setUp([]);
    expect(await read(executor.attach!('gone', 4, never())!)).toEqual({
      seen: [],
      error: { code: 'interrupted', message: 'No run gone.', details: { statusCode: 404 } },
    });
    expect(hub.asked()).toEqual(['GET 4']);
  });

  test('and returns after its end, learns that nothing follows', async () => {
    const over = () => new Response(null, { status: 204 });
    const { executor, hub } = setUp([], { instead: over });
    expect(await read(executor.attach!('a', 4, never())!)).toEqual({ seen: [] });
    // a run has a beginning
    expect((await read(executor.attach!('a', -1, never())!)).error).toMatchObject({
      code: 'stream_malformed',
    });
    expect(hub.asked()).toEqual(['GET 4', 'GET']);
  });

  test('gets an error if a route never tells how a finished run ended', async () => {
    const { executor, hub } = setUp(turns, {
      tamper: (body) => cutAfter(body, 2),
      instead: (_, connection) => (connection > 0 ? new Response(null, { status: 204 }) : undefined),
    });
    const { seen, error } = await read(executor.start(request(), never()));
    expect([seen.length, error?.code]).toEqual([2, 'stream_truncated']);
    expect(hub.asked()).toEqual(['POST', 'GET 1']);
  });

  test('comes back and stops it', async () => {
    const { executor, hub } = setUp(endless);
    const iterator = executor.start(request(), never())[Symbol.asyncIterator]();
    await iterator.next();
    await iterator.return?.();
    const [runId = ''] = hub.runs.keys();
    const controller = new AbortController();
    const again = executor.attach!(runId, 0, controller.signal)![Symbol.asyncIterator]();
    await again.next();
    controller.abort();
    expect(await again.next()).toMatchObject({ value: { seq: 2, type: 'run-end', outcome: 'stopped' } });
    await until(() => hub.log().at(-1)?.type === 'run-end');
    const stopped = await read(executor.attach!(runId, 5, AbortSignal.abort())!);
    expect(stopped.seen).toEqual([{ seq: 6, t: 0, type: 'run-end', outcome: 'stopped' }]);
  });
});

describe('a run that is shown here and happens there', () => {
  test('is let go of and followed again', async () => {
    const { run, hub } = setUp(asking, { options: { approval: true } });
    const text = run.start({ name: 'Ada' });
    await until(() => run.getState().approvals.length === 1);
    run.detach();
    await until(() => hub.requests[0]?.signal.aborted === true);
    const [runId = ''] = hub.runs.keys();
    await setUp([], {}, { fetch: hub.fetch }).executor.send?.(runId, {
      type: 'approval-response',
      approvalId: run.getState().approvals[0]!.approvalId,
      response: { approved: true },
    });
    await until(() => hub.log().at(-1)?.type === 'run-end');
    expect(run.getState().status).toBe('waiting');
    run.attach();
    expect(await text).toBe('Done.');
    expect(run.log()).toEqual(json(hub.log()));
  });

  test('started twice with a key, by two pages, is one run', async () => {
    const { run, hub, executor, model } = setUp(turns);
    const other = createRun(greet, { executor });
    expect(
      await Promise.all([
        run.start({ name: 'Ada' }, { key: 'mount' }),
        other.start({ name: 'Ada' }, { key: 'mount' }),
      ]),
    ).toEqual(['Hello Ada.', 'Hello Ada.']);
    expect(hub.runs.size).toBe(1);
    expect(model.calls).toHaveLength(2);
  });
});

describe('a command by route', () => {
  test('answers what the run asks', async () => {
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

  test('to an unknown run is refused, and one that cannot be sent is an error', async () => {
    const command = { type: 'approval-response', approvalId: 'x', response: { approved: true } } as const;
    const { executor } = setUp([]);
    expect(await executor.send?.('gone', command)).toEqual({
      accepted: false,
      reason: 'The run is not under way.',
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
        'response.input.at is an object of class Date, which cannot be sent to a route. Leave it out or say it as plain JSON, or run the prompt with inProcess().',
    });
  });
});

describe('what a route answers besides events', () => {
  const html = { headers: { 'content-type': 'text/html; charset=utf-8' } };
  test.each<[string, () => Response, object]>([
    [
      'its own error',
      () => Response.json({ error: { code: 'budget_exceeded', message: 'No more today.' } }, { status: 402 }),
      { code: 'budget_exceeded', message: 'No more today.', details: { statusCode: 402 } },
    ],
    [
      'its own error with a word that is none',
      () => Response.json({ error: { code: 'Not OK!', message: 'No.' } }, { status: 400 }),
      { code: 'bad_request', message: 'No.', details: { statusCode: 400 } },
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
      'nobody is signed in',
      () => new Response('', { status: 401, statusText: 'Unauthorized' }),
      {
        code: 'auth',
        message: 'The route answered 401 Unauthorized. Sign in, or check the headers that are sent.',
      },
    ],
    ['not allowed', () => new Response('<html>', { status: 403, ...html }), { code: 'auth' }],
    [
      'nothing there',
      () => new Response('Not found', { status: 404 }),
      {
        code: 'bad_request',
        message: 'The route answered 404. Check the address: there is no prompt route.',
      },
    ],
    [
      'too many',
      () => new Response('', { status: 429, headers: { 'retry-after': '5' } }),
      { code: 'rate_limited', details: { statusCode: 429, retryAfter: '5' } },
    ],
    ['too much', () => new Response('', { status: 413 }), { code: 'too_large' }],
    ['broken', () => new Response('{"error":', { status: 500 }), { code: 'provider_error' }],
    [
      'a web page',
      () => new Response('<html>', html),
      {
        code: 'stream_malformed',
        message:
          'The route answered 200 with text/html; charset=utf-8, where a stream of events (text/event-stream) was expected. Check the address, and that no login page or proxy answers in its place.',
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

  test('away: asked again, and then an error', async () => {
    const { run, hub } = setUp([], { instead: () => new Response('', { status: 503 }) });
    await expect(run.start({ name: 'Ada' })).rejects.toMatchObject({
      code: 'overloaded',
      details: { statusCode: 503, attempts: 3 },
    });
    expect(hub.asked()).toEqual(['POST', 'POST', 'POST']);
  });

  test('too many, to a start with a key: its caller decides whether to wait', async () => {
    const { run, hub } = setUp([], { instead: () => new Response('', { status: 429 }) });
    await expect(run.start({ name: 'Ada' }, { key: 'k' })).rejects.toMatchObject({ code: 'rate_limited' });
    expect(hub.asked()).toEqual(['POST']);
  });

  test('away for a moment: a start with a key is sent again', async () => {
    const { run, hub } = setUp(turns, {
      instead: () => (hub.asked().length < 3 ? new Response('', { status: 503 }) : undefined),
    });
    expect(await run.start({ name: 'Ada' }, { key: 'k' })).toBe('Hello Ada.');
    expect(hub.asked()).toEqual(['POST', 'POST', 'POST']);
  });

  test('an error that never ends is read as far as it matters', async () => {
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

describe('what cannot be sent', () => {
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
    ['What should be sent to the route is nested too deep', { input: deep }],
    [
      'A route knows a prompt by its name, and this one has none',
      { definition: { ...named, name: '' } as never },
    ],
  ])('%s: said before anything is sent', async (message, given) => {
    const { hub, executor } = setUp([]);
    const { seen, error } = await read(executor.start({ ...request(), ...given } as RunRequest, never()));
    expect(error?.message.slice(0, message.length)).toBe(message);
    expect([seen, error?.code, hub.asked()]).toEqual([[], 'invalid_options', []]);
  });

  test('the same object in two places can', async () => {
    const { hub, executor } = setUp(['Hi.']);
    const twice = { name: 'Ada' };
    const input = { ...twice, first: twice, others: [twice, twice], left: undefined };
    expect((await read(executor.start(request({ input, key: 'k' }), never()))).error).toBeUndefined();
    expect(hub.bodies).toEqual([{ prompt: 'greet', key: 'k', input: json(input) }]);
  });

  test('headers that HTTP does not allow, or that throw, are named without being quoted', async () => {
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

  test('an invalid address is reported as one, without what may be secret in it', async () => {
    const relative = viaRoute('/api/greet?token=secret');
    const { error } = await read(relative.start(request(), never()));
    expect(error).toMatchObject({ code: 'invalid_options' });
    expect(error?.message).toMatch(/^viaRoute: \/api\/greet is not an address here\. Outside a page/);
    const withPassword = viaRoute('https://me:secret@example.test/api');
    expect((await read(withPassword.start(request(), never()))).error?.message).toMatch(
      /^viaRoute: https:\/\/example\.test\/api is not an address here\./,
    );
  });

  test('options of the executor that make no sense', async () => {
    const { hub } = setUp([]);
    const messageOf = async (url: string, options: RouteOptions) => {
      const executor = viaRoute(url, { ...options, fetch: hub.fetch });
      const { error } = await read(executor.start(request(), never()));
      return error?.code === 'invalid_options' ? error.message : error;
    };
    const noAddress = "viaRoute takes the address of a route: viaRoute('/api/plan-day').";
    expect(await messageOf('', {})).toBe(noAddress);
    expect(await messageOf(undefined as never, {})).toBe(noAddress);
    expect(await messageOf(address, { retries: -1 })).toBe(
      'viaRoute: retries is -1. It takes a number from 0 on, or Infinity.',
    );
    expect(await messageOf(address, { retries: '3' as never })).toContain('retries is 3');
    expect(await messageOf(address, { idleMs: 0 })).toContain('from 1 on');
    expect(hub.asked()).toEqual([]);
  });
});

describe('over a network', () => {
  /** Serves a hub on this machine, and breaks the nth connection with events off after some of its bytes. */
  async function serve(hub: ReturnType<typeof createHub>, breakAfter: readonly number[]) {
    let connections = 0;
    let closed = 0;
    const server = createServer((incoming, outgoing) => {
      void (async () => {
        const gone = new AbortController();
        outgoing.on('close', () => {
          closed += 1;
          gone.abort();
        });
        const body = await textOf(incoming);
        const { method = 'GET', headers, url = '/' } = incoming;
        const response = await hub.fetch(
          new Request(new URL(url, 'http://localhost'), {
            method,
            headers: headers as Record<string, string>,
            signal: gone.signal,
            ...(body === '' ? {} : { body }),
          }),
        );
        outgoing.writeHead(response.status, Object.fromEntries(response.headers));
        let left = response.body === null ? Infinity : (breakAfter[connections++] ?? Infinity);
        const reader = response.body?.getReader();
        outgoing.on('close', () => void reader?.cancel());
        if (gone.signal.aborted) return void reader?.cancel();
        for (let next = await reader?.read(); next?.done === false; next = await reader?.read()) {
          const chunk = next.value.slice(0, left);
          left -= chunk.length;
          await new Promise((resolve) => outgoing.write(chunk, resolve));
          if (left === 0) return outgoing.destroy();
        }
        outgoing.end();
      })();
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as { port: number };
    return { server, url: `http://127.0.0.1:${port}/api/greet`, closed: () => closed };
  }

  test('a run whose connections break in the middle of an event is whole', async () => {
    const { hub } = setUp(turns);
    const { server, url } = await serve(hub, [400, 700, 3, 900]);
    const run = createRun(greet, { executor: viaRoute(url, { retryDelay: () => 1 }) });
    expect(await run.start({ name: 'Ada' })).toBe('Hello Ada.');
    expect(run.log()).toEqual(json(hub.log()));
    expect(hub.asked().length).toBeGreaterThan(3);
    server.close();
  });

  test('a run that is stopped or let go of closes its connection', async () => {
    const { hub } = setUp(endless);
    const { server, url, closed } = await serve(hub, []);
    const run = createRun(greet, { executor: viaRoute(url) });
    void run.start({ name: 'Ada' });
    await until(() => run.getState().text === 'Wait');
    run.detach();
    await until(() => closed() === 1);
    expect(hub.log().at(-1)?.type).not.toBe('run-end');
    run.attach();
    await until(() => hub.asked().length === 2);
    run.stop();
    await until(() => hub.log().at(-1)?.type === 'run-end');
    await until(() => closed() === 3);
    expect(hub.asked()).toEqual(['POST', `GET ${hub.log().length - 2}`, 'DELETE']);
    server.close();
  });

  test('a server that does not exist', async () => {
    const { hub } = setUp([]);
    const { server, url } = await serve(hub, []);
    await new Promise((resolve) => server.close(resolve));
    const { error } = await read(viaRoute(url).start(request(), never()));
    expect(error).toMatchObject({ code: 'network' });
    expect(error?.message).toMatch(
      /^Could not reach http:\/\/127\.0\.0\.1:\d+\/api\/greet \(fetch failed\)\./,
    );
  });
});
