import type { RunEvent } from '@cueline/core';
import { createStorageRuns, createStorageShares } from '@cueline/edge/unstorage';
import { createStorage, type Storage } from 'unstorage';
import memoryDriver from 'unstorage/drivers/memory';
import { beforeAll, expect, onTestFinished, test, vi } from 'vitest';
import { createStoreWriter } from '../../src/route/runs/store-writer.ts';
import { all, ask, client, greet, idOf, never, post, readTo, sends, testRoute } from '../route/routes.ts';
import { read, write } from './events.ts';

// loads what makes runs, which takes as long as it takes
beforeAll(async () => void (await (await testRoute(['Hi.']).route(post({ input: {} }))).text()), 60_000);

function stopTime(): void {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
}

/** Advances fake timers until the work is done. */
async function advance<Value>(work: Promise<Value>): Promise<Value> {
  const state = { isDone: false };
  void work.finally(() => (state.isDone = true));
  while (!state.isDone) {
    await vi.advanceTimersByTimeAsync(100);
    // the keys are hashed outside of timers, in the order of the calls
    await crypto.subtle.digest('SHA-256', new Uint8Array(1));
    await new Promise((resolve) => setImmediate(resolve));
  }
  return work;
}

/** Has the writes that `isLate` chooses wait until the test lets them happen. Default: the next write alone. */
function delayWrites(storage: Storage, isLate = (_value: unknown, before: number): boolean => before === 0) {
  const setItem = storage.setItem.bind(storage);
  const late: (() => Promise<void>)[] = [];
  vi.spyOn(storage, 'setItem').mockImplementation((key, value) => {
    if (!isLate(value, late.length)) return setItem(key, value);
    return new Promise((resolve) => late.push(async () => resolve(await setItem(key, value))));
  });
  return {
    /** Waits for one in small steps: on a busy machine, fake time must not reach the limit before it. */
    async begun(): Promise<void> {
      while (late.length === 0) {
        await vi.advanceTimersByTimeAsync(1);
        await new Promise((resolve) => setImmediate(resolve));
      }
    },
    /** Lets them happen, and returns how many there were. */
    async happen(): Promise<number> {
      await Promise.all(late.map((write) => write()));
      return late.length;
    },
  };
}

const run = { runId: 'r', subject: 's', key: 'k', chat: 'c', runMs: 1_000, replayMs: 1_000 };
const delta = (seq: number): RunEvent => ({ seq, t: seq, type: 'text-delta', id: 't', text: 'x' });
const end = (seq: number): RunEvent => ({ seq, t: seq, type: 'run-end', outcome: 'done' });

test('events of one moment are one item', async () => {
  const storage = createStorage({ driver: memoryDriver() });
  const store = createStorageRuns(storage, { pollMs: 100 });
  await store.create(run);
  const writer = createStoreWriter({ store, runId: 'r', show: () => {}, onFailure: vi.fn() });
  for (let seq = 0; seq < 200; seq += 1) {
    writer.push(JSON.stringify(delta(seq)), false);
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
  writer.push(JSON.stringify(end(200)), true);
  expect(await writer.written).toBe(true);
  expect(await all(read(store, 'r', 198, never()))).toEqual([delta(199), end(200)]);
  const pieces = (await storage.getKeys()).filter((key) => key.includes(':events:'));
  expect(pieces.length).toBeGreaterThan(1);
  expect(pieces.length).toBeLessThan(30);
});

test('of what has expired nothing is left once another run begins', async () => {
  let at = 0;
  const now = (): number => at;
  const storage = createStorage({ driver: memoryDriver() });
  const store = createStorageRuns(storage, { pollMs: 1, now });
  await store.create(run);
  await write(store, 'r', [delta(0), end(1)]);
  await store.send('r', { type: 'stop' });
  expect((await storage.getKeys()).length).toBeGreaterThan(4);
  at = 1_000;
  await createStorageShares(storage, { now }).put('x', { body: Uint8Array.of(1), expiresAt: 1_500 });
  at = 3_000;
  await createStorageRuns(storage, { now }).create({
    ...run,
    runId: 'next',
    key: undefined,
    chat: undefined,
  });
  await createStorageShares(storage, { now }).put('y', { body: Uint8Array.of(1), expiresAt: 4_000 });
  await expect.poll(() => storage.getKeys()).toHaveLength(2);
  expect((await store.get('next'))?.subject).toBe('s');
});

test('an item that is only half written is waited for', async () => {
  const storage = createStorage({ driver: memoryDriver() });
  const store = createStorageRuns(storage, { pollMs: 5 });
  await store.create(run);
  await write(store, 'r', [delta(0), end(1)]);
  const key = (await storage.getKeys()).find((one) => one.includes(':events:'))!;
  const whole = JSON.stringify(await storage.getItem(key));
  for (const broken of [whole.slice(0, -5), '', '{}', 'null', '[1]']) await storage.setItem(key, broken);
  await storage.setItem(key, whole.slice(0, 20));
  const reading = all(read(store, 'r', -1, never()));
  await new Promise((resolve) => setTimeout(resolve, 20));
  await storage.setItem(key, whole);
  expect(await reading).toEqual([delta(0), end(1)]);
});

test('a run and a conversation are found while they are rewritten', async () => {
  const storage = createStorage({ driver: memoryDriver() });
  const store = createStorageRuns(storage);
  await store.create(run);
  const keys = await storage.getKeys();
  // the run, its key and its conversation
  expect(keys).toHaveLength(3);
  for (const key of keys) {
    const whole = JSON.stringify(await storage.getItem(key));
    await storage.setItem(key, '');
    setTimeout(() => void storage.setItem(key, whole), 15);
    expect((await store.get('r'))?.subject).toBe('s');
    expect(await store.find({ subject: 's', key: 'k' })).toBe('r');
    expect(await store.find({ subject: 's', chat: 'c' })).toBe('r');
  }
});

test('keys contain nothing that a client chooses', async () => {
  const storage = createStorage({ driver: memoryDriver() });
  const store = createStorageRuns(storage);
  const odd = '../../../etc/passwd:$%\n';
  await store.create({ ...run, runId: odd, subject: odd, key: odd, chat: odd });
  await store.send(odd, { type: 'stop' });
  await createStorageShares(storage).put(odd, { body: Uint8Array.of(1), expiresAt: Date.now() + 1_000 });
  for (const key of await storage.getKeys()) expect(key).toMatch(/^cueline:[a-z0-9:-]+$/);
  expect((await store.get(odd))?.subject).toBe(odd);
});

test('a failing storage is an error for its caller', async () => {
  const storage = createStorage({ driver: memoryDriver() });
  const store = createStorageRuns(storage, { pollMs: 1 });
  await store.create(run);
  const failure = new Error('full');
  const reading = all(read(store, 'r', -1, never())).catch((error: unknown) => error);
  vi.spyOn(storage, 'getItem').mockRejectedValue(failure);
  await expect(write(store, 'r', [delta(0)])).rejects.toBe(failure);
  await reading;
  await expect(store.find({ subject: 's', key: 'k' })).rejects.toBe(failure);
});

test('a write without an answer holds up later ones for ten seconds, and leaves no gap if it happens late', async () => {
  stopTime();
  const storage = createStorage({ driver: memoryDriver() });
  const store = createStorageRuns(storage, { pollMs: 10 });
  await advance(store.create({ ...run, runMs: 60_000, replayMs: 60_000 }));
  await advance(write(store, 'r', [delta(0)]));
  const { begun, happen } = delayWrites(storage);
  // it fails once another attempt has stored the events
  write(store, 'r', [delta(1)]).catch(() => {});
  await begun();
  // the writer repeats the events after its own timeout, with those that have come meanwhile
  await advance(write(store, 'r', [delta(1), delta(2), delta(3)]));
  expect(await happen()).toBe(1);
  await advance(write(store, 'r', [end(4)]));
  const stored = await advance(all(read(store, 'r', -1, never())));
  expect(stored).toEqual([delta(0), delta(1), delta(2), delta(3), end(4)]);
  expect(await store.get('r')).toEqual({ subject: 's', endSeq: 4 });
});

test('a message whose writing gets no answer for long is not lost, nor are those after it', async () => {
  stopTime();
  const storage = createStorage({ driver: memoryDriver() });
  const store = createStorageRuns(storage, { pollMs: 10 });
  await advance(store.create({ ...run, runMs: 600_000, replayMs: 60_000 }));
  const ping = (id: string) => ({ type: 'ping', id }) as const;
  await advance(store.send('r', ping('1')));
  const { begun, happen } = delayWrites(storage);
  const second = store.send('r', ping('2'));
  await begun();
  await advance(store.send('r', ping('3')));
  expect(await happen()).toBe(1);
  await advance(second);
  const over = new AbortController();
  const messages = store.messages('r', over.signal)[Symbol.asyncIterator]();
  const seen: unknown[] = [];
  for (let at = 0; at < 3; at += 1) seen.push((await advance(messages.next())).value);
  over.abort();
  expect(seen).toEqual([ping('1'), ping('2'), ping('3')]);
});

test('a start that gets no answer for long does not take its key from the next one', async () => {
  stopTime();
  const storage = createStorage({ driver: memoryDriver() });
  const { begun, happen } = delayWrites(storage, (value) => JSON.stringify(value).includes('r-1'));
  const store = createStorageRuns(storage, { pollMs: 10 });
  const start = { ...run, chat: undefined, runMs: 600_000 };
  const first = store.create({ ...start, runId: 'r-1' });
  await begun();
  // the route gives up after ten seconds, and the client starts it again
  expect(await advance(store.create({ ...start, runId: 'r-2' }))).toBe('created');
  expect(await happen()).toBe(1);
  expect(await advance(first)).toEqual({ runId: 'r-2' });
  expect(await store.find({ subject: 's', key: 'k' })).toBe('r-2');
  expect(await store.get('r-1')).toBeUndefined();
});

test('an expired share that is read is removed, though nobody shares again', async () => {
  let at = 0;
  const storage = createStorage({ driver: memoryDriver() });
  const shares = createStorageShares(storage, { now: () => at });
  await shares.put('x', { body: Uint8Array.of(1), expiresAt: 1_000 });
  await shares.put('y', { body: Uint8Array.of(1), expiresAt: 1_000 });
  at = 1_000;
  expect(await shares.get('x')).toBeUndefined();
  await expect.poll(() => storage.getKeys()).toHaveLength(1);
  // another process looks for all of them when it reads one
  expect(await createStorageShares(storage, { now: () => at }).get('z')).toBeUndefined();
  await expect.poll(() => storage.getKeys()).toEqual([]);
});

test('a route that polls rarely answers commands of another instance, which does not consider it gone', async () => {
  const request = { definition: greet, input: { name: 'Ada' } };
  stopTime();
  const storage = createStorage({ driver: memoryDriver() });
  const [here, there] = [0, 1].map(() =>
    testRoute([sends, 'Done.'], {
      store: createStorageRuns(storage, { pollMs: 3_000 }),
      options: { approval: true },
    }),
  );
  const begun = await advance(readTo(client(here!).start(request, never()), 'approval-request'));
  const query = `?run=${idOf(begun)}`;
  const watched = (await advance(there!.route(ask('GET', query)))).text();
  // after a while without messages, the instances look for them as rarely as they ever do
  await advance(new Promise((resolve) => setTimeout(resolve, 120_000)));
  const { approvalId } = begun.at(-1) as Extract<RunEvent, { type: 'approval-request' }>;
  const command = { type: 'approval-response', approvalId, response: { approved: true } };
  const reply = await advance(there!.route(post(command, query)));
  expect(await reply.json()).toEqual({ accepted: true });
  expect(await advance(watched)).toContain('"outcome":"done"');
});
