import type { Executor, RunEvent } from '@cueline/core';
import { createMemoryRuns } from '@cueline/edge';
import { afterEach, expect, test, vi } from 'vitest';
import { hostRun, type HostedRun } from '../../../src/route/runs/host-run.ts';
import { eventsOf } from '../../../src/stores/event-batch.ts';
import { read } from '../../stores/events.ts';
import { all, greet, never } from '../routes.ts';

afterEach(() => void vi.useRealTimers());

const start: RunEvent = {
  seq: 0,
  t: 5,
  type: 'run-start',
  v: 2,
  runId: 'inner',
  model: 'm',
  messages: [],
  messageId: 'msg-1',
};
const placed = { ...start, runId: 'run-1' };

async function setUp(events: Executor['start'], runMs = 60_000, permissions = {}) {
  const store = createMemoryRuns();
  await store.create({ runId: 'run-1', subject: 'ada', runMs, replayMs: 60_000 });
  const onFailure = vi.fn<(error: unknown) => void>();
  const send = vi.fn(() => ({ accepted: true }) as const);
  const run = hostRun({
    runId: 'run-1',
    subject: 'ada',
    store,
    runMs,
    commandBytes: 1_000,
    onFailure,
    request: { definition: greet as never, input: { name: 'Ada' } },
    executor: { start: events, send },
    ...permissions,
  });
  return { store, run, onFailure, send };
}

const shownBy = (run: HostedRun): AsyncIterable<RunEvent> => eventsOf(run.shown.read(0));

/** Does not listen to its signal. */
async function* deaf(): AsyncGenerator<RunEvent> {
  yield start;
  await new Promise(() => {});
}

test('a run that ignores its stop is ended anyway', async () => {
  const { run, store } = await setUp(deaf);
  setTimeout(() => run.stop(), 10);
  expect(await all(shownBy(run))).toEqual([placed, { seq: 1, t: 5, type: 'run-end', outcome: 'stopped' }]);
  expect(await run.written).toBe(true);
  expect(await all(read(store, 'run-1', -1, never()))).toEqual(await all(shownBy(run)));
});

test('a run that ignores its time limit is ended anyway', async () => {
  const { run } = await setUp(deaf, 20);
  expect((await all(shownBy(run))).at(-1)).toMatchObject({
    outcome: 'error',
    error: { code: 'timeout' },
  });
});

test('events after the end are ignored', async () => {
  const end: RunEvent = { seq: 1, t: 6, type: 'run-end', outcome: 'done' };
  const { run } = await setUp(async function* () {
    yield start;
    yield end;
    yield { seq: 2, t: 7, type: 'warning', message: 'late' };
  });
  expect(await all(shownBy(run))).toEqual([placed, end]);
  run.stop();
  expect(await run.send({ type: 'edit', edit: { type: 'skip', taskId: 'a' } })).toEqual({
    accepted: false,
    reason: 'The run is not in progress.',
  });
});

test('a run that ends unexpectedly ends with an error', async () => {
  const { run } = await setUp(async function* () {
    yield start;
  });
  expect((await all(shownBy(run))).at(-1)).toMatchObject({
    seq: 1,
    outcome: 'error',
    error: { code: 'stream_truncated' },
  });
});

test('failures are reported on the server only', async () => {
  const { run, onFailure } = await setUp(async function* () {
    yield* [];
    throw new TypeError('password=1234');
  });
  const log = await all(shownBy(run));
  expect(log).toMatchObject([
    { seq: 0, type: 'run-start', runId: 'run-1', input: { name: 'Ada' } },
    { seq: 1, type: 'run-end', outcome: 'error', error: { code: 'stream_truncated' } },
  ]);
  expect(JSON.stringify(log)).not.toContain('1234');
  expect(onFailure.mock.calls).toEqual([[new TypeError('password=1234')]]);
});

test('a slow store stores many events at once', async () => {
  const deltas = Array.from({ length: 1_200 }, (_, index): RunEvent => ({
    seq: index + 1,
    t: index,
    type: 'text-delta',
    id: 't',
    text: `${index}`,
  }));
  const { run, store } = await setUp(async function* () {
    yield start;
    yield* deltas;
    yield { seq: 1_201, t: 1_201, type: 'run-end', outcome: 'done' };
  });
  const { append } = store;
  const slow = vi.spyOn(store, 'append').mockImplementation(async (...given) => {
    await new Promise((resolve) => setTimeout(resolve, 5));
    return append(...given);
  });
  expect(await run.written).toBe(true);
  expect(await all(read(store, 'run-1', -1, never()))).toEqual(await all(shownBy(run)));
  expect(run.shown).toHaveLength(1_202);
  expect(slow.mock.calls.length).toBeLessThan(10);
});

test('commands that arrive twice after a store failure are executed once and answered', async () => {
  const { run, store, onFailure, send } = await setUp(deaf);
  const { send: tell } = store;
  let replies = 0;
  vi.spyOn(store, 'send').mockImplementation((...given) => {
    if (given[1].type === 'reply') replies += 1;
    return replies === 2 ? Promise.reject(new Error('down')) : tell(...given);
  });
  const command = { type: 'edit', edit: { type: 'add', title: 'Greet Ada' } } as const;
  await store.send('run-1', { type: 'command', id: '1', command });
  await expect.poll(() => replies).toBe(1);
  await tell('run-1', { type: 'command', id: '2', command });
  await expect.poll(() => replies).toBe(3);
  expect(onFailure.mock.calls).toEqual([[new Error('down')]]);
  expect(send).toHaveBeenCalledTimes(2);
  expect(await all(store.messages('run-1', AbortSignal.timeout(20)))).toEqual([
    { type: 'command', id: '1', command },
    { type: 'reply', id: '1', reply: { accepted: true } },
    { type: 'command', id: '2', command },
    { type: 'reply', id: '2', reply: { accepted: true } },
  ]);
  run.stop();
});

test('a ping is answered and a stop obeyed while the check of a command takes long', async () => {
  const { run, store } = await setUp(deaf, undefined, {
    permissions: { edits: () => new Promise(() => {}) },
  });
  const command = { type: 'edit', edit: { type: 'add', title: 'Greet Ada' } } as const;
  await store.send('run-1', { type: 'command', id: 'slow', command });
  await store.send('run-1', { type: 'ping', id: 'ping' });
  const replies = async (): Promise<unknown[]> =>
    (await all(store.messages('run-1', AbortSignal.timeout(20)))).filter(({ type }) => type === 'reply');
  await expect.poll(replies).toEqual([{ type: 'reply', id: 'ping', reply: { accepted: true } }]);
  await store.send('run-1', { type: 'stop' });
  expect((await all(shownBy(run))).at(-1)).toMatchObject({ type: 'run-end', outcome: 'stopped' });
});

test('commands beyond twenty that wait are refused at once', async () => {
  const { run, store } = await setUp(deaf, undefined, {
    permissions: { edits: () => new Promise(() => {}) },
  });
  const command = { type: 'edit', edit: { type: 'add', title: 'Greet Ada' } } as const;
  for (let id = 1; id <= 21; id += 1) await store.send('run-1', { type: 'command', id: `${id}`, command });
  const replies = async (): Promise<unknown[]> =>
    (await all(store.messages('run-1', AbortSignal.timeout(20)))).filter(({ type }) => type === 'reply');
  const reason = 'Too many commands wait for this run. Try again in a while.';
  await expect.poll(replies).toEqual([{ type: 'reply', id: '21', reply: { accepted: false, reason } }]);
  run.stop();
});

test('a command whose check never ends is refused after ten seconds', async () => {
  vi.useFakeTimers();
  const { run, onFailure } = await setUp(deaf, undefined, {
    permissions: { edits: () => new Promise(() => {}) },
  });
  await vi.advanceTimersByTimeAsync(10);
  const reply = run.send({ type: 'edit', edit: { type: 'add', title: 'Greet Ada' } });
  await vi.advanceTimersByTimeAsync(10_000);
  expect(await reply).toMatchObject({
    accepted: false,
    reason: expect.stringContaining('could not be checked'),
  });
  expect(onFailure).toHaveBeenCalledTimes(1);
  run.stop();
});

test('a failing store is given up some time after the end', async () => {
  vi.useFakeTimers();
  const { run, store, onFailure } = await setUp(async function* () {
    yield start;
    yield { seq: 1, t: 6, type: 'run-end', outcome: 'done' };
  });
  vi.spyOn(store, 'append').mockRejectedValue(new Error('down'));
  let written: boolean | undefined;
  void run.written.then((all) => (written = all));
  await vi.advanceTimersByTimeAsync(10_000);
  expect(written).toBeUndefined();
  await vi.advanceTimersByTimeAsync(20_000);
  expect(written).toBe(false);
  expect(onFailure).toHaveBeenCalledTimes(1);
});
