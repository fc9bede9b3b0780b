import type { RunEvent } from '@cueline/core';
import { createMemoryRuns, type RunLogStore } from '@cueline/edge';
import { afterEach, expect, test, vi } from 'vitest';
import { createStoreWriter } from '../../../src/route/runs/store-writer.ts';
import { read, write } from '../../stores/events.ts';
import { all, never } from '../routes.ts';

afterEach(() => void vi.useRealTimers());

const events: RunEvent[] = [
  { seq: 0, t: 0, type: 'text-start', id: 't' },
  { seq: 1, t: 1, type: 'text-delta', id: 't', text: 'a' },
  { seq: 2, t: 2, type: 'text-delta', id: 't', text: 'b' },
  { seq: 3, t: 3, type: 'run-end', outcome: 'done' },
];

async function setUp(append: RunLogStore['append'], answer = async (): Promise<void> => {}) {
  const runs = createMemoryRuns();
  await runs.create({ runId: 'r', subject: 's', runMs: 60_000, replayMs: 60_000 });
  const shown: number[] = [];
  const seen: RunEvent[] = [];
  const onOver = vi.fn<() => void>();
  const onFailure = vi.fn<(error: unknown) => void>();
  const writer = createStoreWriter({
    store: {
      ...runs,
      append: async (runId, some) => {
        await append(runId, some);
        const over = await runs.append(runId, some);
        await answer();
        return over;
      },
    },
    runId: 'r',
    show(events) {
      for (const event of events.map((one) => JSON.parse(one) as RunEvent)) {
        shown.push(event.seq);
        seen.push(event);
      }
    },
    onFailure,
    onOver,
  });
  const push = (event: RunEvent): void => writer.push(JSON.stringify(event), event.type === 'run-end');
  return { runs, shown, seen, onFailure, onOver, writer, push };
}

/** A store that answers an append when the test says so. */
function slowStore() {
  const appends: (() => void)[] = [];
  const asked = (): Promise<void> => expect.poll(() => appends).toHaveLength(1);
  return {
    append: (): Promise<void> => new Promise((resolve) => appends.push(resolve)),
    /** Resolves once the writer waits for an append. */
    asked,
    /** Answers the append that the writer waits for, or asks for next. */
    async answer(): Promise<void> {
      await asked();
      appends.shift()!();
    },
  };
}

const soon = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 5));

test('events are stored before they are shown, and simultaneous events are stored together', async () => {
  const { append, asked, answer } = slowStore();
  const { runs, shown, writer, push } = await setUp(append);
  push(events[0]!);
  push(events[1]!);
  await asked();
  expect(shown).toEqual([]);
  push(events[2]!);
  await answer();
  await expect.poll(() => shown).toEqual([0, 1]);
  await asked();
  push(events[3]!);
  await answer();
  await expect.poll(() => shown).toEqual([0, 1, 2]);
  await answer();
  expect(await writer.written).toBe(true);
  expect(shown).toEqual([0, 1, 2, 3]);
  expect(await all(read(runs, 'r', -1, never()))).toEqual(events);
});

test('a failing store does not delay events, and gets them later', async () => {
  let broken = true;
  const { runs, shown, writer, onFailure, push } = await setUp(async () => {
    if (broken) throw new Error('away');
  });
  push(events[0]!);
  await expect.poll(() => shown).toEqual([0]);
  push(events[1]!);
  expect(shown).toEqual([0, 1]);
  broken = false;
  await vi.waitFor(async () =>
    expect(await all(read(runs, 'r', -1, AbortSignal.timeout(1)))).toHaveLength(2),
  );
  push(events[2]!);
  expect(shown).toEqual([0, 1]);
  push(events[3]!);
  expect(await writer.written).toBe(true);
  expect(shown).toEqual([0, 1, 2, 3]);
  expect(onFailure).toHaveBeenCalledTimes(1);
  expect(await all(read(runs, 'r', -1, never()))).toEqual(events);
});

test('a slow store does not delay events', async () => {
  const { append, asked, answer } = slowStore();
  const { shown, writer, push } = await setUp(append);
  push(events[0]!);
  push(events[1]!);
  await expect.poll(() => shown).toEqual([0, 1]);
  push(events[2]!);
  expect(shown).toEqual([0, 1, 2]);
  await answer();
  await asked();
  push(events[3]!);
  expect(shown).toEqual([0, 1, 2]);
  await answer();
  await answer();
  expect(await writer.written).toBe(true);
  expect(shown).toEqual([0, 1, 2, 3]);
});

const interrupted: RunEvent = {
  seq: 2,
  t: 1,
  type: 'run-end',
  outcome: 'error',
  error: { code: 'interrupted', message: 'Gone.' },
};

test('if another instance has ended the run, only that end is shown', async () => {
  const { runs, seen, writer, onOver, push } = await setUp(async () => {});
  for (const event of events.slice(0, 2)) push(event);
  await expect.poll(() => seen).toHaveLength(2);
  await write(runs, 'r', [interrupted]);
  for (const event of events.slice(2)) push(event);
  expect(await writer.written).toBe(true);
  expect(seen).toEqual([...events.slice(0, 2), interrupted]);
  expect(await all(read(runs, 'r', -1, never()))).toEqual(seen);
  // it had ended by itself
  expect(onOver).not.toHaveBeenCalled();
});

test('if another instance has ended the run, the running one is stopped', async () => {
  const { runs, seen, onOver, push } = await setUp(async () => {});
  for (const event of events.slice(0, 2)) push(event);
  await expect.poll(() => seen).toHaveLength(2);
  await write(runs, 'r', [interrupted]);
  push(events[2]!);
  await expect.poll(() => onOver).toHaveBeenCalledTimes(1);
  push(events[3]!);
  await soon();
  expect(seen).toEqual([...events.slice(0, 2), interrupted]);
});

test('shown events are not withdrawn: the logs differ, and the run counts as not written', async () => {
  let broken = false;
  const { runs, seen, writer, push } = await setUp(async () => {
    if (broken) throw new Error('away');
  });
  for (const event of events.slice(0, 2)) push(event);
  await expect.poll(() => seen).toHaveLength(2);
  broken = true;
  push(events[2]!);
  await soon();
  await write(runs, 'r', [interrupted]);
  broken = false;
  push(events[3]!);
  expect(await writer.written).toBe(false);
  expect(seen).toEqual(events);
});

test('an end whose response was lost is not written twice', async () => {
  let answers = 0;
  const { runs, seen, writer, onOver, push } = await setUp(
    async () => {},
    async () => {
      answers += 1;
      if (answers === 1) throw new Error('lost');
    },
  );
  for (const event of events) push(event);
  expect(await writer.written).toBe(true);
  expect(seen).toEqual(events);
  expect(await all(read(runs, 'r', -1, never()))).toEqual(events);
  expect(onOver).not.toHaveBeenCalled();
});

test('a store that has lost its last events gets them again', async () => {
  const kept: RunEvent[] = [];
  const { seen, writer, push } = await setUp(async (_runId, { first, items }) => {
    if (first > kept.length) throw new Error('came before');
    kept.push(...items.slice(kept.length - first).map((item) => JSON.parse(item) as RunEvent));
  });
  push(events[0]!);
  await soon();
  push(events[1]!);
  await soon();
  // as a replica may that takes the place of what it copied
  kept.splice(1);
  push(events[2]!);
  push(events[3]!);
  expect(await writer.written).toBe(true);
  expect(kept).toEqual(events);
  expect(seen).toEqual(events);
});

test("a process that was frozen reads the store's response before it gives up", async () => {
  const writes: (() => void)[] = [];
  const { shown, push } = await setUp(() => new Promise((resolve) => writes.push(resolve)));
  push(events[0]!);
  await soon();
  push(events[1]!);
  const until = performance.now() + 1_200;
  while (performance.now() < until);
  // the timers that are due come first, and then what came from the network
  setTimeout(() => writes.shift()!(), 2);
  await new Promise((resolve) => setTimeout(resolve, 50));
  expect(shown).toEqual([0]);
});

test('a store that returns long after the end of a run gets the missed events', async () => {
  vi.useFakeTimers();
  let tries = 0;
  let broken = true;
  const { runs, writer, push } = await setUp(async () => {
    tries += 1;
    if (broken) throw new Error('away');
  });
  for (const event of events) push(event);
  await vi.advanceTimersByTimeAsync(30_000);
  // no caller waits for it any longer
  expect(await writer.written).toBe(false);
  broken = false;
  await vi.advanceTimersByTimeAsync(20_000);
  expect(await all(read(runs, 'r', -1, never()))).toEqual(events);
  const before = tries;
  await vi.advanceTimersByTimeAsync(600_000);
  expect(tries).toBe(before);
});

test('a store that never returns is not called forever', async () => {
  vi.useFakeTimers();
  const append = vi.fn<() => Promise<void>>().mockRejectedValue(new Error('away'));
  const { writer, push } = await setUp(append);
  for (const event of events) push(event);
  await vi.advanceTimersByTimeAsync(600_000);
  expect(await writer.written).toBe(false);
  expect(append.mock.calls.length).toBeLessThan(40);
  expect(vi.getTimerCount()).toBe(0);
});
