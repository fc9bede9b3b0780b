import { createRun, type Executor } from '@cueline/core';
import { describe, expect, test } from 'vitest';
import { json } from '../support.ts';
import { cutAfter } from '../support/memory-route.ts';
import {
  asking,
  ended,
  endless,
  greet,
  heldStart,
  never,
  read,
  request,
  setUp,
  turns,
  until,
} from './route.ts';

/** Reads the first event of a run and leaves. */
async function lookOnce(executor: Executor): Promise<void> {
  const iterator = executor.start(request(), never())[Symbol.asyncIterator]();
  await iterator.next();
  await iterator.return?.();
}

describe('A run by route that is stopped', () => {
  test('ends on the server, with its model call', async () => {
    const { run, hub, model } = setUp(endless);
    void run.start({ name: 'Ada' }).catch(() => {});
    await until(() => run.getState().text === 'Wait');
    run.stop();
    await until(() => run.getState().status === 'stopped');
    expect(run.log().map(({ seq }) => seq)).toEqual(run.log().map((_, index) => index));
    expect(run.log().at(-1)).toMatchObject({ type: 'run-end', outcome: 'stopped' });
    await ended(hub);
    expect(hub.log().at(-1)).toMatchObject({ outcome: 'stopped' });
    expect(model.calls[0]?.abortSignal?.aborted).toBe(true);
    expect(hub.asked()).toEqual(['POST', 'DELETE']);
    expect(hub.requests.map(({ keepalive }) => keepalive)).toEqual([false, true]);
    expect(hub.requests[1]?.headers.get('content-type')).toBeNull();
  });

  test('before its first event ends as soon as the server sends its id', async () => {
    const { answer, instead } = heldStart();
    const { executor, hub } = setUp(endless, { instead });
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
    await ended(hub);
  });

  test('through its run object before its first event ends the same way', async () => {
    const { answer, instead } = heldStart();
    const { run, hub } = setUp(endless, { instead });
    void run.start({ name: 'Ada' }).catch(() => {});
    await until(() => hub.asked().length === 1);
    run.stop();
    expect(run.getState().status).toBe('stopped');
    answer();
    await until(() => hub.asked().length === 2);
    expect(hub.asked()).toEqual(['POST', 'DELETE']);
    await ended(hub);
    expect(hub.requests[0]?.signal.aborted).toBe(true);
  });

  test('before it starts is never requested', async () => {
    const { executor, hub } = setUp(endless);
    const { seen } = await read(executor.start(request(), AbortSignal.abort()));
    expect(seen.map(({ type }) => type)).toEqual(['run-start', 'run-end']);
    expect(hub.asked()).toEqual([]);
  });

  test('by a signal in its options ends, too', async () => {
    const { executor, hub } = setUp(endless);
    const controller = new AbortController();
    const reading = read(executor.start(request({ options: { abortSignal: controller.signal } }), never()));
    await until(() => hub.runs.size === 1 && hub.log().some(({ type }) => type === 'text-delta'));
    controller.abort();
    expect((await reading).seen.at(-1)).toMatchObject({ type: 'run-end', outcome: 'stopped' });
    await until(() => hub.asked().includes('DELETE'));
  });

  test('while it reconnects ends even if the first requests to stop fail', async () => {
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
    await ended(hub);
    expect(hub.asked()).toEqual(['POST', 'DELETE', 'DELETE', 'DELETE']);
  });
});

describe('A run that is no longer followed', () => {
  test('closes its connection at once and continues, and its signal still stops it', async () => {
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
    controller.abort();
    await ended(hub);
    expect(hub.asked()).toEqual(['POST', 'DELETE']);
  });

  test('closes its connection before there is a response', async () => {
    const { executor, hub } = setUp([], { instead: () => new Promise<Response>(() => {}) });
    const iterator = executor.start(request(), never())[Symbol.asyncIterator]();
    const pending = iterator.next();
    await until(() => hub.asked().length === 1);
    await iterator.return?.();
    expect(await pending).toEqual({ done: true, value: undefined });
    await until(() => hub.requests[0]?.signal.aborted === true);
  });

  test('closes its connection between two events', async () => {
    const { executor, hub } = setUp(endless);
    await lookOnce(executor);
    await until(() => hub.requests[0]?.signal.aborted === true);
    expect(hub.log().at(-1)?.type).not.toBe('run-end');
  });

  test('can be followed again from the last event, or from the first', async () => {
    const { executor, hub } = setUp(turns);
    await lookOnce(executor);
    const [runId = ''] = hub.runs.keys();
    const { seen } = await read(executor.attach!(runId, 2, never())!);
    expect(seen).toEqual(json(hub.log()).slice(3));
    const all = await read(executor.attach!(runId, -1, never())!);
    expect(all.seen).toEqual(json(hub.log()));
    expect(hub.asked()).toEqual(['POST', 'GET 2', 'GET']);
  });

  test('is an error if the server has lost it', async () => {
    const { executor, hub } = setUp([]);
    expect(await read(executor.attach!('gone', 4, never())!)).toEqual({
      seen: [],
      error: { code: 'interrupted', message: 'No run gone.', details: { statusCode: 404 } },
    });
    expect(hub.asked()).toEqual(['GET 4']);
  });

  test('has no more events after its end, but needs a first one', async () => {
    const over = () => new Response(null, { status: 204 });
    const { executor, hub } = setUp([], { instead: over });
    expect(await read(executor.attach!('a', 4, never())!)).toEqual({ seen: [] });
    expect((await read(executor.attach!('a', -1, never())!)).error).toMatchObject({
      code: 'stream_malformed',
    });
    expect(hub.asked()).toEqual(['GET 4', 'GET']);
  });

  test('is an error if the route reports an end but not how it ended', async () => {
    const { executor, hub } = setUp(turns, {
      tamper: (body) => cutAfter(body, 2),
      instead: (_, connection) => (connection > 0 ? new Response(null, { status: 204 }) : undefined),
    });
    const { seen, error } = await read(executor.start(request(), never()));
    expect([seen.length, error?.code]).toEqual([2, 'stream_truncated']);
    expect(hub.asked()).toEqual(['POST', 'GET 1']);
  });

  test('can be followed again and stopped', async () => {
    const { executor, hub } = setUp(endless);
    await lookOnce(executor);
    const [runId = ''] = hub.runs.keys();
    const controller = new AbortController();
    const again = executor.attach!(runId, 0, controller.signal)![Symbol.asyncIterator]();
    await again.next();
    controller.abort();
    expect(await again.next()).toMatchObject({ value: { seq: 2, type: 'run-end', outcome: 'stopped' } });
    await ended(hub);
    const stopped = await read(executor.attach!(runId, 5, AbortSignal.abort())!);
    expect(stopped.seen).toEqual([{ seq: 6, t: 0, type: 'run-end', outcome: 'stopped' }]);
  });
});

describe('A run object', () => {
  test('detaches and attaches again', async () => {
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
    await ended(hub);
    expect(run.getState().status).toBe('waiting');
    run.attach();
    expect(await text).toBe('Done.');
    expect(run.log()).toEqual(json(hub.log()));
  });

  test('is the same run for two pages that start with the same key', async () => {
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
