import type { RunEvent } from '@cueline/core';
import { createMemoryRuns, type RunLogStore } from '@cueline/edge';
import { expect, test, vi } from 'vitest';
import { createStoreWriter } from '../../src/route/store-writer.ts';
import { all, never } from './routes.ts';

const events: RunEvent[] = [
  { seq: 0, t: 0, type: 'text-start', id: 't' },
  { seq: 1, t: 1, type: 'text-delta', id: 't', text: 'a' },
  { seq: 2, t: 2, type: 'text-delta', id: 't', text: 'b' },
  { seq: 3, t: 3, type: 'run-end', outcome: 'done' },
];

async function setUp(append: RunLogStore['append']) {
  const runs = createMemoryRuns();
  await runs.create({ runId: 'r', subject: 's', runMs: 60_000, replayMs: 60_000 });
  const shown: number[] = [];
  const onFailure = vi.fn<(error: unknown) => void>();
  const writer = createStoreWriter({
    store: {
      ...runs,
      append: async (runId, some) => {
        await append(runId, some);
        await runs.append(runId, some);
      },
    },
    runId: 'r',
    show: ({ seq }) => shown.push(seq),
    onFailure,
  });
  return { runs, shown, onFailure, writer };
}

const soon = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 5));

test('what is shown is written down before', async () => {
  const writes: (() => void)[] = [];
  const { runs, shown, writer } = await setUp(() => new Promise((resolve) => writes.push(resolve)));
  writer.push(events[0]!);
  writer.push(events[1]!);
  await soon();
  expect(shown).toEqual([]);
  writes.shift()!();
  await soon();
  expect(shown).toEqual([0]);
  writer.push(events[2]!);
  writes.shift()!();
  await soon();
  expect(shown).toEqual([0, 1]);
  writer.push(events[3]!);
  writes.shift()!();
  await soon();
  writes.shift()!();
  expect(await writer.written).toBe(true);
  expect(shown).toEqual([0, 1, 2, 3]);
  expect(await all(runs.read('r', -1, never()))).toEqual(events);
});

test('a store that fails is not waited for, and is caught up with', async () => {
  let broken = true;
  const { runs, shown, writer, onFailure } = await setUp(async () => {
    if (broken) throw new Error('away');
  });
  writer.push(events[0]!);
  await soon();
  writer.push(events[1]!);
  expect(shown).toEqual([0, 1]);
  broken = false;
  await vi.waitFor(async () => expect(await all(runs.read('r', -1, AbortSignal.timeout(1)))).toHaveLength(2));
  writer.push(events[2]!);
  expect(shown).toEqual([0, 1]);
  writer.push(events[3]!);
  expect(await writer.written).toBe(true);
  expect(shown).toEqual([0, 1, 2, 3]);
  expect(onFailure).toHaveBeenCalledTimes(1);
  expect(await all(runs.read('r', -1, never()))).toEqual(events);
});

test('one that takes its time is not waited for either', async () => {
  const writes: (() => void)[] = [];
  const { shown, writer } = await setUp(() => new Promise((resolve) => writes.push(resolve)));
  writer.push(events[0]!);
  writer.push(events[1]!);
  await vi.waitFor(() => expect(shown).toEqual([0, 1]), 2_000);
  writer.push(events[2]!);
  expect(shown).toEqual([0, 1, 2]);
  writes.shift()!();
  await soon();
  writer.push(events[3]!);
  expect(shown).toEqual([0, 1, 2]);
  writes.shift()!();
  await soon();
  writes.shift()!();
  expect(await writer.written).toBe(true);
  expect(shown).toEqual([0, 1, 2, 3]);
});
