import type { RunEvent } from '@cueline/core';
import { createMemoryRuns, type RunLogStore } from '@cueline/edge';
import { expect, test, vi } from 'vitest';
import { createStoreWriter } from '../../../src/route/runs/store-writer.ts';
import { all, never } from '../routes.ts';
import { read, write } from '../../stores/events.ts';

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

const soon = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 5));

test('events are stored before they are shown, and simultaneous events are stored together', async () => {
  const writes: (() => void)[] = [];
  const { runs, shown, writer, push } = await setUp(() => new Promise((resolve) => writes.push(resolve)));
  push(events[0]!);
  push(events[1]!);
  await soon();
  expect(shown).toEqual([]);
  push(events[2]!);
  writes.shift()!();
  await soon();
  expect(shown).toEqual([0, 1]);
  push(events[3]!);
  writes.shift()!();
  await soon();
  writes.shift()?.();
  expect(await writer.written).toBe(true);
  expect(shown).toEqual([0, 1, 2, 3]);
  expect(await all(read(runs, 'r', -1, never()))).toEqual(events);
});

test('a store that fails is not waited for, and is caught up with', async () => {
  let broken = true;
  const { runs, shown, writer, onFailure, push } = await setUp(async () => {
    if (broken) throw new Error('away');
  });
  push(events[0]!);
  await soon();
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

test('a slow store is not waited for either', async () => {
  const writes: (() => void)[] = [];
  const { shown, writer, push } = await setUp(() => new Promise((resolve) => writes.push(resolve)));
  push(events[0]!);
  push(events[1]!);
  await vi.waitFor(() => expect(shown).toEqual([0, 1]), 2_000);
  push(events[2]!);
  expect(shown).toEqual([0, 1, 2]);
  writes.shift()!();
  await soon();
  push(events[3]!);
  expect(shown).toEqual([0, 1, 2]);
  writes.shift()!();
  await soon();
  writes.shift()!();
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

test('if another instance has ended the run meanwhile, its end is shown and nothing else', async () => {
  const { runs, seen, writer, onOver, push } = await setUp(async () => {});
  for (const event of events.slice(0, 2)) push(event);
  await soon();
  await write(runs, 'r', [interrupted]);
  for (const event of events.slice(2)) push(event);
  expect(await writer.written).toBe(true);
  expect(seen).toEqual([...events.slice(0, 2), interrupted]);
  expect(await all(read(runs, 'r', -1, never()))).toEqual(seen);
  // it had ended by itself
  expect(onOver).not.toHaveBeenCalled();
});

test('and a run under way is ended', async () => {
  const { runs, seen, onOver, push } = await setUp(async () => {});
  for (const event of events.slice(0, 2)) push(event);
  await soon();
  await write(runs, 'r', [interrupted]);
  push(events[2]!);
  await vi.waitFor(() => expect(onOver).toHaveBeenCalledTimes(1));
  push(events[3]!);
  await soon();
  expect(seen).toEqual([...events.slice(0, 2), interrupted]);
});

test('shown events are not taken back: then the two logs differ, and it counts as not written', async () => {
  let broken = false;
  const { runs, seen, writer, push } = await setUp(async () => {
    if (broken) throw new Error('away');
  });
  for (const event of events.slice(0, 2)) push(event);
  await soon();
  broken = true;
  push(events[2]!);
  await soon();
  await write(runs, 'r', [interrupted]);
  broken = false;
  push(events[3]!);
  expect(await writer.written).toBe(false);
  expect(seen).toEqual(events);
});

test('an end whose answer was lost is not a second end', async () => {
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

test('a process that was frozen reads the answer of the store before it gives up', async () => {
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

test('a store that returns long after the end of a run gets what it has missed', async () => {
  vi.useFakeTimers();
  try {
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
  } finally {
    vi.useRealTimers();
  }
});

test('and one that never does is not asked without end', async () => {
  vi.useFakeTimers();
  try {
    const append = vi.fn<() => Promise<void>>().mockRejectedValue(new Error('away'));
    const { writer, push } = await setUp(append);
    for (const event of events) push(event);
    await vi.advanceTimersByTimeAsync(600_000);
    expect(await writer.written).toBe(false);
    expect(append.mock.calls.length).toBeLessThan(40);
    expect(vi.getTimerCount()).toBe(0);
  } finally {
    vi.useRealTimers();
  }
});
