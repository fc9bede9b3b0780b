import type { RunEvent } from '@cueline/core';
import { createMemoryRuns, type RunMessage } from '@cueline/edge';
import { expect, test, vi } from 'vitest';
import { hostRun } from '../../../src/route/runs/host-run.ts';
import { followRemoteRun, type RemoteRun } from '../../../src/route/runs/remote-run.ts';
import { eventsOf } from '../../../src/stores/event-batch.ts';
import { read, write } from '../../stores/events.ts';
import { all, greet, never } from '../routes.ts';

const times = { quietMs: 20, replyMs: 30, catchUpMs: 50 };
const start: RunEvent = {
  seq: 0,
  t: 5,
  type: 'run-start',
  v: 2,
  runId: 'run-1',
  model: 'm',
  messages: [],
  messageId: 'msg-1',
};

const events = (run: RemoteRun, afterSeq: number): AsyncIterable<RunEvent> => eventsOf(run.events(afterSeq));

/** A run of another instance, which has stored these events. */
async function setUp(stored: RunEvent[] = [start]) {
  const store = createMemoryRuns();
  await store.create({ runId: 'run-1', subject: 'ada', runMs: 60_000, replayMs: 60_000 });
  for (const event of stored) await write(store, 'run-1', [event]);
  return { store, run: followRemoteRun(store, 'run-1', times) };
}

test('a run whose instance crashed ends for all readers', async () => {
  const { store, run } = await setUp();
  const [one, two] = await Promise.all([all(events(run, -1)), all(events(run, 0))]);
  const end = { seq: 1, t: 5, type: 'run-end', outcome: 'error', error: { code: 'interrupted' } };
  expect(one).toMatchObject([start, end]);
  expect(two).toMatchObject([end]);
  expect(await all(read(store, 'run-1', -1, never()))).toEqual(one);
  // should it be there after all
  expect(await all(store.messages('run-1', AbortSignal.timeout(5)))).toContainEqual({ type: 'stop' });
});

test('a run ends if its instance crashed before the first event', async () => {
  const { run } = await setUp([]);
  expect(await all(events(run, -1))).toMatchObject([
    { seq: 0, type: 'run-start', runId: 'run-1' },
    { seq: 1, type: 'run-end', outcome: 'error', error: { code: 'interrupted' } },
  ]);
});

test('a run ends when a client answers it after its instance crashed', async () => {
  const { store, run } = await setUp();
  expect(await run.send({ type: 'edit', edit: { type: 'skip', taskId: 'a' } })).toEqual({
    accepted: false,
    reason: 'The instance of this run no longer answers. Start it again.',
  });
  expect((await all(read(store, 'run-1', -1, never()))).at(-1)).toMatchObject({ outcome: 'error' });
});

test('an instance that answers late is not given up', async () => {
  const { store, run } = await setUp();
  const answer = async (): Promise<void> => {
    // busy while it is asked, and while it is asked again
    await new Promise((resolve) => setTimeout(resolve, 72));
    for await (const message of store.messages('run-1', AbortSignal.timeout(200))) {
      if (message.type !== 'ping') continue;
      await store.send('run-1', { type: 'reply', id: message.id, reply: { accepted: true } });
    }
  };
  const answering = answer();
  expect(await run.send({ type: 'edit', edit: { type: 'skip', taskId: 'a' } })).toEqual({
    accepted: false,
    reason: 'The run took too long to answer. Try again.',
  });
  expect(await all(read(store, 'run-1', 0, AbortSignal.timeout(20)))).toEqual([]);
  await answering;
});

test('a silent run continues', async () => {
  const { store } = await setUp([]);
  // a busy machine may reply late
  const run = followRemoteRun(store, 'run-1', { ...times, replyMs: 5_000 });
  const pings = store.messages('run-1', never())[Symbol.asyncIterator]();
  const hosted = hostRun({
    runId: 'run-1',
    subject: 'ada',
    store,
    runMs: 60_000,
    commandBytes: 1_000,
    onFailure: vi.fn(),
    request: { definition: greet as never, input: {} },
    executor: {
      async *start() {
        yield { ...start, runId: 'inner' };
        // until it was asked twice whether it is alive
        for (let asked = 0; asked < 2;) if ((await pings.next()).value?.type === 'ping') asked += 1;
        yield { seq: 1, t: 90, type: 'run-end', outcome: 'done' };
      },
    },
  });
  const log = await all(events(run, -1));
  expect(log).toEqual([start, { seq: 1, t: 90, type: 'run-end', outcome: 'done' }]);
  expect(log).toEqual(await all(eventsOf(hosted.shown.read(0))));
});

test.each([
  ['reads only new messages', true, 2],
  ['reads all messages because it cannot tell which are new', false, 102],
])('a caller of a store that %s', async (_, canListen, count) => {
  const { store } = await setUp();
  for (let index = 0; index < 100; index += 1) {
    await store.send('run-1', { type: 'reply', id: String(index), reply: { accepted: true } });
  }
  const read: RunMessage[] = [];
  async function* noted(messages: AsyncIterable<RunMessage>) {
    for await (const message of messages) {
      read.push(message);
      yield message;
    }
  }
  const { listen: _listen, ...deaf } = store;
  const run = followRemoteRun(
    {
      ...deaf,
      messages: (runId, signal) => noted(store.messages(runId, signal)),
      ...(canListen ? { listen: async (runId, signal) => noted(await store.listen!(runId, signal)) } : {}),
      async send(runId, message) {
        await store.send(runId, message);
        if (message.type !== 'command') return;
        await store.send(runId, { type: 'reply', id: message.id, reply: { accepted: true } });
      },
    },
    'run-1',
    times,
  );
  expect(await run.send({ type: 'edit', edit: { type: 'skip', taskId: 'a' } })).toEqual({ accepted: true });
  expect(read).toHaveLength(count);
});

test('no ping is sent for a run whose reader has disconnected', async () => {
  const { store, run } = await setUp();
  const reader = run.events(-1)[Symbol.asyncIterator]();
  await reader.next();
  const waiting = reader.next();
  await reader.return?.();
  expect((await waiting).done).toBe(true);
  await new Promise((resolve) => setTimeout(resolve, 80));
  expect(await all(store.messages('run-1', AbortSignal.timeout(5)))).toEqual([]);
});

test('nothing is settled if the instance returns at that moment, until the run has really ended', async () => {
  const { store } = await setUp();
  const { send: tell } = store;
  const usage = { inputTokens: 90, outputTokens: 10, totalTokens: 100 };
  const late = { seq: 1, t: 6, type: 'step-end', usage } as unknown as RunEvent;
  let stops = 0;
  vi.spyOn(store, 'send').mockImplementation(async (...given) => {
    await tell(...given);
    if (given[1].type === 'stop' && (stops += 1) === 1) await write(store, 'run-1', [late]);
  });
  const onAbandoned = vi.fn(async () => {});
  const log = await all(events(followRemoteRun(store, 'run-1', { ...times, onAbandoned }), -1));
  expect(log).toMatchObject([start, late, { seq: 2, type: 'run-end', error: { code: 'interrupted' } }]);
  expect(onAbandoned).toHaveBeenCalledTimes(1);
});

test('a reader that stops releases the store', async () => {
  const { store, run } = await setUp();
  const read = vi.spyOn(store, 'read');
  vi.spyOn(store, 'send').mockRejectedValue(new Error('down'));
  await expect(all(events(run, -1))).rejects.toThrow('down');
  expect(read.mock.calls.length).toBeGreaterThan(1);
  expect(read.mock.calls.map(([, , signal]) => signal.aborted)).not.toContain(false);
});

test('many readers of a run send one ping, and end it once', async () => {
  const { store } = await setUp();
  const [tell, append] = [vi.spyOn(store, 'send'), vi.spyOn(store, 'append')];
  const onAbandoned = vi.fn(async () => {});
  const logs = await Promise.all(
    Array.from({ length: 50 }, () =>
      all(events(followRemoteRun(store, 'run-1', { ...times, onAbandoned }), -1)),
    ),
  );
  expect(logs).toEqual(Array.from({ length: 50 }, () => logs[0]));
  expect(logs[0]).toHaveLength(2);
  expect(tell.mock.calls.map(([, { type }]) => type)).toEqual(['ping', 'ping', 'stop']);
  expect(append).toHaveBeenCalledTimes(1);
  expect(onAbandoned).toHaveBeenCalledTimes(1);
});

test('a reader that freezes after its ping gets the reply', async () => {
  const { store, run } = await setUp();
  const block = (ms: number): void => {
    for (const until = performance.now() + ms; performance.now() < until;);
  };
  let pings = 0;
  const { send: tell } = store;
  vi.spyOn(store, 'send').mockImplementation(async (...given) => {
    await tell(...given);
    const [, message] = given;
    if (message.type !== 'ping') return;
    pings += 1;
    // its instance answers, and this one does nothing for longer than it waits
    setTimeout(() => {
      block(60);
      setTimeout(() => void tell('run-1', { type: 'reply', id: message.id, reply: { accepted: true } }), 2);
    }, 1);
  });
  const reader = run.events(0)[Symbol.asyncIterator]();
  void reader.next();
  await expect.poll(() => pings).toBeGreaterThan(3);
  await reader.return?.();
  expect(await all(read(store, 'run-1', 0, AbortSignal.timeout(20)))).toEqual([]);
});

test('an instance that may be silent forever is not asked whether it is alive', async () => {
  const { store } = await setUp();
  const send = vi.spyOn(store, 'send');
  const run = followRemoteRun(store, 'run-1', { ...times, quietMs: Infinity });
  const seen = run.events(-1)[Symbol.asyncIterator]();
  await seen.next();
  const next = seen.next();
  await new Promise((resolve) => setTimeout(resolve, 50));
  expect(send).not.toHaveBeenCalled();
  await seen.return?.();
  await next;
});
