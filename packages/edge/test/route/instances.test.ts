import { createRun, definePrompt, viaRoute, type RunEvent } from '@cueline/core';
import { type EventBatch, type RunLogStore, createMemoryRuns } from '@cueline/edge';
import { serve } from 'srvx';
import { afterEach, describe, expect, test, vi } from 'vitest';
import * as z from 'zod';
import { read } from '../stores/events.ts';
import { request } from './greet-request.ts';
import {
  address,
  all,
  ask,
  client,
  endless,
  greet,
  idOf,
  looks,
  never,
  readTo,
  sends,
  slowly,
  testRoute,
} from './routes.ts';
import { createEventSource } from './sse.ts';

describe('another instance', () => {
  function two(script: Parameters<typeof testRoute>[0], options: Parameters<typeof testRoute>[1] = {}) {
    const store = createMemoryRuns();
    return [testRoute(script, { ...options, store }), testRoute([], { ...options, store })] as const;
  }

  test('continues where the first was cut off, without missing or repeated events', async () => {
    const [here, there] = two([
      [...slowly('Hello to Ada and everybody.', 2), { toolCall: { name: 'look', input: { at: 'x' } } }],
      slowly('And goodbye.', 2),
    ]);
    let killed = false;
    // what serves the client dies in the middle of the stream; the balancer then asks the other one
    const executor = viaRoute(address, {
      retryDelay: () => 1,
      fetch: async (request) => {
        if (killed) return there.fetch()(request);
        const response = await here.fetch()(request);
        killed = true;
        return new Response(response.body!.pipeThrough(dyingAfter(9)), response);
      },
    });
    const run = createRun(greet, { executor });
    expect(await run.start({ name: 'Ada' })).toBe('And goodbye.');
    expect(run.log().map(({ seq }) => seq)).toEqual(run.log().map((_, index) => index));
    expect(await all(read(here.store, run.getState().runId, -1, never()))).toEqual(run.log());
    expect([here.asked, there.asked]).toEqual([
      [{ method: 'POST', status: 200 }],
      [{ method: 'GET', status: 200 }],
    ]);
    expect(there.model.calls).toHaveLength(0);
  });

  test('stops a run', async () => {
    const [here, there] = two([endless]);
    const events = client(here).start(request, never());
    const seen = await readTo(events, 'text-delta');
    const runId = idOf(seen);
    expect((await there.route(ask('DELETE', `?run=${runId}`))).status).toBe(204);
    const log = await all(client(there).attach(runId, seen.length - 1, never())!);
    expect(log.at(-1)).toMatchObject({ type: 'run-end', outcome: 'stopped' });
  });

  test.each([
    ['waits for an approval', sends, 'approval-request'],
    ['streams', slowly('Hello to Ada and everybody.', 100), 'text-delta'],
  ] as const)(
    'ends a run whose instance is frozen, which reports its end later: it %s',
    async (_, turn, seen) => {
      const store = createMemoryRuns();
      let thaw = (): void => {};
      let frozen = Promise.resolve();
      const slow: RunLogStore = {
        ...store,
        async append(runId, batch) {
          await frozen;
          return store.append(runId, batch);
        },
        async *messages(runId, signal) {
          for await (const message of store.messages(runId, signal)) {
            await frozen;
            yield message;
          }
        },
      };
      const options = { options: { approval: true as const }, limits: { quietMs: 100 } };
      const here = testRoute([turn], { ...options, store: slow });
      const there = testRoute([], { ...options, store });
      const log = await readTo(client(here).start(request, never()), seen);
      frozen = new Promise((resolve) => (thaw = resolve));
      const runId = idOf(log);
      const rest = await all(client(there).attach(runId, log.length - 1, never())!);
      expect(rest.at(-1)).toMatchObject({ outcome: 'error', error: { code: 'interrupted' } });
      thaw();
      await expect.poll(() => here.events.at(-1)).toMatchObject({ type: 'run-end', runId });
      expect(there.events).toEqual([]);
    },
  );

  test('leaves a run alone if only one reply of its instance gets stuck in the store', async () => {
    let finish = (): void => {};
    const finished = new Promise<void>((resolve) => (finish = resolve));
    const definition = definePrompt(
      'greet',
      (prompt) => {
        prompt.$`Look.`;
        prompt.defTool('look', 'Looks', z.object({ at: z.string() }), () => finished);
      },
      { input: z.object({ name: z.string() }) },
    );
    const store = createMemoryRuns();
    let replies = 0;
    const stuck: RunLogStore = {
      ...store,
      async send(runId, message) {
        if (message.type === 'reply' && (replies += 1) === 1) await new Promise(() => {});
        return store.send(runId, message);
      },
    };
    const limits = { quietMs: 200 };
    const here = testRoute([looks, 'Done.'], { definition, limits, store: stuck });
    const there = testRoute([], { definition, limits, store });
    const seen = await readTo(client(here).start(request, never()), 'tool-start');
    const rest = all(client(there).attach(idOf(seen), seen.length - 1, never())!);
    // until there are two, or the run has ended
    await Promise.race([rest, vi.waitFor(() => expect(replies).toBeGreaterThan(1), { timeout: 5_000 })]);
    finish();
    expect((await rest).at(-1)).toMatchObject({ type: 'run-end', outcome: 'done' });
  });

  test('can answer a run, and reports the outcome', async () => {
    const [here, there] = two([sends, 'Done.'], { options: { approval: true } });
    const seen = await readTo(client(here).start(request, never()), 'approval-request');
    const runId = idOf(seen);
    const open = seen.at(-1) as Extract<RunEvent, { type: 'approval-request' }>;
    const { send } = client(there);
    const { approvalId } = open;
    expect(
      await send(runId, { type: 'approval-response', approvalId: 'x', response: { approved: true } }),
    ).toEqual({
      accepted: false,
      reason: expect.stringContaining('There is no approval x'),
    });
    expect(
      await send(runId, { type: 'approval-response', approvalId, response: { approved: true } }),
    ).toEqual({
      accepted: true,
    });
    const log = await all(client(there).attach(runId, seen.length - 1, never())!);
    expect(log.at(-1)).toMatchObject({ type: 'run-end', outcome: 'done' });
    expect(
      await send(runId, { type: 'approval-response', approvalId, response: { approved: true } }),
    ).toEqual({
      accepted: false,
      reason: 'The run is not in progress.',
    });
  });

  test('whose store fails costs the client a connection and no more', async () => {
    const [here, there] = two([slowly('Hello to Ada.', 5)]);
    const seen = await readTo(client(here).start(request, never()), 'text-delta');
    const { read } = there.store;
    let reads = 0;
    // what this one reads is not what the other one does
    const broken = vi.spyOn(there.store, 'read').mockImplementation((...given) => {
      reads += 1;
      return reads > 3 ? read(...given) : failing(read(...given));
    });
    const log = await all(client(there).attach(idOf(seen), -1, never())!);
    broken.mockRestore();
    expect(log.map(({ seq }) => seq)).toEqual(log.map((_, index) => index));
    expect(log.at(-1)).toMatchObject({ type: 'run-end', outcome: 'done' });
    expect(there.asked).toHaveLength(4);
  });

  test('knows the key of a start', async () => {
    const [here, there] = two([looks, 'Hello.']);
    const keyed = { ...request, key: 'k' };
    const one = await all(client(here).start(keyed, never()));
    expect(await all(client(there).start(keyed, never()))).toEqual(one);
    expect(there.model.calls).toHaveLength(0);
  });
});

describe('over a real port', () => {
  let close: (() => Promise<void>) | undefined;
  afterEach(() => close?.());

  test('a run streams, and can be resumed, answered and stopped', async () => {
    const hub = testRoute([sends, 'Done.', endless], { options: { approval: true } });
    const server = serve({
      fetch: (request) => hub.route(request),
      port: 0,
      silent: true,
      hostname: '127.0.0.1',
    });
    await server.ready();
    close = () => server.close(true);
    const url = new URL('/api/greet', server.url).href;
    const executor = viaRoute(url, { headers: { authorization: 'Bearer ada' }, retryDelay: () => 1 });
    const run = createRun(greet, { executor });
    const end = run.start({ name: 'Ada' });
    await expect.poll(() => run.getState().approvals.length).toBe(1);
    await run.respondToApproval(run.getState().approvals[0]!.approvalId, { approved: true });
    expect(await end).toBe('Done.');

    const seen = await readTo(executor.start(request, never()), 'text-delta');
    const runId = idOf(seen);
    const response = await fetch(`${url}?run=${runId}&after=0`, { headers: { authorization: 'Bearer ada' } });
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-store, no-transform',
      'x-accel-buffering': 'no',
      'x-content-type-options': 'nosniff',
      'x-cueline-run': runId,
    });
    const events = createEventSource(response.body!);
    expect((await events.next()).value).toEqual({ comment: true });
    expect((await events.next()).value).toEqual({ id: '1', data: seen[1] });
    await fetch(`${url}?run=${runId}`, { method: 'DELETE', headers: { authorization: 'Bearer ada' } });
    let last: unknown;
    for await (const event of events) last = event;
    expect(last).toMatchObject({ data: { type: 'run-end', outcome: 'stopped' } });
  });
});

/** A store that goes away after two events. */
async function* failing(events: AsyncIterable<EventBatch>): AsyncGenerator<EventBatch> {
  let left = 2;
  for await (const { first, items } of events) {
    for (const [index, event] of items.entries()) {
      if (left-- === 0) throw new Error('ECONNRESET');
      yield { first: first + index, items: [event], ended: false };
    }
  }
}

/** Fails after so many events, as the connection to a server that dies. */
function dyingAfter(events: number): TransformStream<Uint8Array, Uint8Array> {
  let left = events;
  return new TransformStream({
    transform(chunk, controller) {
      if (chunk[0] !== 58 && left-- === 0) throw new TypeError('terminated');
      controller.enqueue(chunk);
    },
  });
}
