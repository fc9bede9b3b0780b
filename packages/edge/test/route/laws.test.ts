import { createRun, viaRoute } from '@cueline/core';
import { scriptedModel, type ScriptedTurn } from '@cueline/core/testing';
import { createMemoryRuns } from '@cueline/edge';
import fc from 'fast-check';
import { serve } from 'srvx';
import { expect, test } from 'vitest';
import { read } from '../stores/events.ts';
import { address, all, greet, looks, never, slowly, testRoute } from './routes.ts';

const script: ScriptedTurn[] = [looks, slowly('Hello to you and everybody.', 1)];

test('a client gets the whole log for any disconnections and instances', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(
        fc.record({ bytes: fc.integer({ min: 0, max: 2_500 }), instance: fc.integer({ min: 0, max: 2 }) }),
        {
          maxLength: 6,
        },
      ),
      fc.integer({ min: 0, max: 2 }),
      async (cuts, last) => {
        const store = createMemoryRuns();
        const instances = [
          testRoute(script, { store }),
          testRoute(script, { store }),
          testRoute(script, { store }),
        ];
        let connection = 0;
        const executor = viaRoute(address, {
          retryDelay: () => 0,
          fetch: async (request) => {
            const cut = cuts[connection];
            connection += 1;
            const response = await instances[cut?.instance ?? last]!.fetch()(request);
            if (cut === undefined || response.body === null) return response;
            return new Response(response.body.pipeThrough(cutAfterBytes(cut.bytes)), response);
          },
        });
        const run = createRun(greet, { executor });
        expect(await run.start({ name: 'Ada' }, { key: 'k' })).toBe('Hello to you and everybody.');
        const stored = await all(read(store, run.getState().runId, -1, never()));
        // the client notes its key itself
        const [start, ...rest] = run.log();
        expect([{ ...stored[0], key: 'k' }, ...stored.slice(1)]).toEqual([start, ...rest]);
        // whatever was tried again, it ran once
        expect(instances.map(({ model }) => model.calls.length).toSorted((a, b) => a - b)).toEqual([0, 0, 2]);
      },
    ),
    { numRuns: 40 },
  );
}, 30_000);

test('twenty simultaneous clients over a real port, half of which disconnect, leave nothing open', async () => {
  const open = new Set<Response>();
  const hub = testRoute([], {
    model: 'slow:x',
    models: {
      providers: { slow: () => scriptedModel([slowly('Hello to you.', 6)]) },
    },
    limits: { concurrent: 20 },
  });
  const server = serve({
    port: 0,
    silent: true,
    hostname: '127.0.0.1',
    async fetch(request) {
      const response = await hub.route(request);
      open.add(response);
      const reader = response.body!.getReader();
      const body = new ReadableStream<Uint8Array>({
        async pull(controller) {
          const { done, value } = await reader.read();
          if (!done) return controller.enqueue(value);
          open.delete(response);
          controller.close();
        },
        async cancel(reason) {
          open.delete(response);
          await reader.cancel(reason);
        },
      });
      return new Response(body, response);
    },
  });
  await server.ready();
  const url = new URL('/api/greet', server.url);
  const executor = viaRoute(url, { headers: { authorization: 'Bearer ada' } });
  const ends = await Promise.all(
    Array.from({ length: 20 }, async (_, index) => {
      for await (const event of executor.start({ definition: greet, input: { name: 'Ada' } }, never())) {
        if (event.type === 'run-end') return event.outcome;
        if (index % 2 === 0 && event.type === 'text-delta') return 'left';
      }
    }),
  );
  expect(ends.filter((end) => end === 'left')).toHaveLength(10);
  expect(ends.filter((end) => end === 'done')).toHaveLength(10);
  // runs without a reader continue to their end
  await expect
    .poll(() => hub.events.filter(({ type }) => type === 'run-end').length, { timeout: 10_000 })
    .toBe(20);
  expect(hub.events.flatMap((event) => (event.type === 'run-end' ? event.outcome : []))).toEqual(
    Array.from({ length: 20 }, () => 'done'),
  );
  await expect.poll(() => open.size, { timeout: 10_000 }).toBe(0);
  await server.close(true);
}, 30_000);

function cutAfterBytes(bytes: number): TransformStream<Uint8Array, Uint8Array> {
  let left = bytes;
  return new TransformStream({
    transform(chunk, controller) {
      if (chunk.length <= left) {
        left -= chunk.length;
        controller.enqueue(chunk);
        return;
      }
      if (left > 0) controller.enqueue(chunk.slice(0, left));
      throw new TypeError('terminated');
    },
  });
}
