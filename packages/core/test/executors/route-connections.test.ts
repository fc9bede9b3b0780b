import { createServer } from 'node:http';
import { text as textOf } from 'node:stream/consumers';
import { createRun, viaRoute, type Connectivity } from '@cueline/core';
import fc from 'fast-check';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { json, throwing } from '../support.ts';
import { cutAfter, type createHub, type HubOptions } from '../support/memory-route.ts';
import { address, ended, endless, greet, never, read, request, setUp, turns, until } from './route.ts';

describe('A lost connection', () => {
  test.each(['fails', 'ends'] as const)(
    'that %s after each event is reconnected, and no event is missing or repeated',
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

  test('gives the same log wherever it is lost', async () => {
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

  test('is given up after as many retries in a row without a new event', async () => {
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
        'The connection to the route was lost, and 3 retries did not restore it. The connection was lost while events were arriving. The run may still be in progress on the server: call retry() or attach() to reconnect.',
    });
  });

  test('counts as lost if it is silent for too long or has no response', async () => {
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

  test('uses no retries while there is no network', async () => {
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

  describe('that the route answers with 503 and Retry-After', () => {
    const busyFor = (seconds: string) => {
      const all = setUp(turns, {
        tamper: (body, n) => (n === 0 ? cutAfter(body, 2) : body),
        instead: (asked, n) =>
          asked.method === 'GET' && n === 1 && all.hub.asked().length === 2
            ? new Response('', { status: 503, headers: { 'retry-after': seconds } })
            : undefined,
      });
      return all;
    };

    test('waits as long as the route says', async () => {
      const { run, hub } = busyFor('0.05');
      const before = performance.now();
      expect(await run.start({ name: 'Ada' })).toBe('Hello Ada.');
      expect(performance.now() - before).toBeGreaterThan(49);
      expect(hub.asked()).toEqual(['POST', 'GET 1', 'GET 1']);
    });

    test('is an error if that is too long', async () => {
      await expect(busyFor('31').run.start({ name: 'Ada' })).rejects.toMatchObject({
        code: 'overloaded',
        details: { statusCode: 503, retryAfter: '31' },
      });
    });
  });

  test('before the first event starts the run again, once', async () => {
    const tamper: HubOptions['tamper'] = (body, n) => (n === 0 ? cutAfter(body, 0) : body);
    for (const key of [undefined, 'mount']) {
      const { executor, hub, model } = setUp(turns, { tamper });
      const { seen } = await read(executor.start(request({ key }), never()));
      expect(seen).toEqual(json(hub.log()));
      expect(hub.asked()).toEqual(['POST', 'POST']);
      expect(model.calls).toHaveLength(2);
    }
  });

  test('is retried twice if the start itself fails', async () => {
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
        message: `Could not reach ${address} (Failed to fetch). Check the connection, the URL, and that the server is running. (3 attempts)`,
        details: { attempts: 3 },
      },
    });
    expect(hub.asked()).toHaveLength(5);
  });

  test.each([
    ['https://app.test', true],
    ['https://example.test', false],
  ])('that fails in a page of %s names CORS and the policy: %s', async (origin, isOther) => {
    onTestFinished(() => void vi.unstubAllGlobals());
    vi.stubGlobal('navigator', { userAgent: 'Mozilla/5.0' });
    vi.stubGlobal('location', { origin });
    const { executor } = setUp(turns, {
      instead: throwing(new TypeError('Failed to fetch')),
    });
    const { error } = await read(executor.start(request(), never()));
    expect(error?.code).toBe('network');
    expect(error?.message.includes("list this page's origin in `origins` (CORS)")).toBe(isOther);
    expect(error?.message.includes('allow the address (connect-src)')).toBe(isOther);
  });

  test('that comes back with a gap, or with another run, is an error', async () => {
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
        message: 'The route skipped events: event 2 came after event 0. Start the run again.',
      },
    });
    const other = setUp([], { instead: () => sse(start) });
    expect((await read(other.executor.attach!('q', 3, never())!)).error).toEqual({
      code: 'stream_malformed',
      message:
        'The route was asked for run q but returned run r. Check that no cache or proxy answers in its place.',
    });
  });
});

describe('Over a network', () => {
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

  test('a run is complete although its connections break in the middle of an event', async () => {
    const { hub } = setUp(turns);
    const { server, url } = await serve(hub, [400, 700, 3, 900]);
    const run = createRun(greet, { executor: viaRoute(url, { retryDelay: () => 1 }) });
    expect(await run.start({ name: 'Ada' })).toBe('Hello Ada.');
    expect(run.log()).toEqual(json(hub.log()));
    expect(hub.asked().length).toBeGreaterThan(3);
    server.close();
  });

  test('a stopped or detached run closes its connection', async () => {
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
    await ended(hub);
    await until(() => closed() === 3);
    expect(hub.asked()).toEqual(['POST', `GET ${hub.log().length - 2}`, 'DELETE']);
    server.close();
  });

  test('a server that is not running is a network error', async () => {
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
