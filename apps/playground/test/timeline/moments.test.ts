import type { RunEvent } from '@cueline/core';
import { expect, test } from 'vitest';
import { tickLabel, ticksOf, tickStep } from '../../src/timeline/axis.ts';
import { advance, longWaits, waitAt } from '../../src/timeline/long-waits.ts';
import { seqAt, timeOf, visibleEvent } from '../../src/timeline/moments.ts';

const log = [
  [0, 'run-start'],
  [5, 'step-start'],
  [5, 'text-start'],
  [20, 'text-delta'],
  [30, 'text-delta'],
  [30, 'text-end'],
  [40, 'step-end'],
  [50, 'run-end'],
].map(([t, type], seq) => ({ seq, t, type }) as RunEvent);

test('a time shows the last event that had happened by then', () => {
  expect([-1, 0, 4, 5, 19.9, 30, 99].map((time) => seqAt(log, time))).toEqual([0, 0, 0, 2, 2, 5, 7]);
  expect(seqAt([], 3)).toBe(0);
  expect([timeOf(log, 3), timeOf(log, 99), timeOf([], 0)]).toEqual([20, 50, 0]);
});

test('moving by events skips deltas and ends of text', () => {
  expect(visibleEvent(log, 2, 'next')).toBe(7);
  expect(visibleEvent(log, 6, 'previous')).toBe(2);
  expect(visibleEvent(log, 7, 'next')).toBeUndefined();
  expect(visibleEvent(log, 1, 'previous')).toBeUndefined();
});

test('moving back from the end of a run skips the end of its last step', () => {
  expect(visibleEvent(log, 7, 'previous')).toBe(2);
  const longer = [...log.slice(0, 7), { seq: 7, t: 45, type: 'step-start' } as RunEvent];
  expect(visibleEvent(longer, 7, 'previous')).toBe(6);
});

test('a long wait for an answer passes in two seconds, and nothing else is shortened', () => {
  const waiting = [
    { t: 0, type: 'run-start' },
    { t: 9_000, type: 'approval-request', approvalId: 'a' },
    { t: 9_100, type: 'text-delta' },
    { t: 49_100, type: 'approval-response', approvalId: 'a' },
    { t: 60_000, type: 'run-end' },
  ] as RunEvent[];
  const waits = longWaits(waiting);
  expect(waits).toEqual([{ start: 9_100, end: 49_100 }]);
  expect(advance(0, 9_000, waits)).toBe(9_000);
  expect(advance(9_000, 100 + 1_000, waits)).toBe(29_100);
  expect(advance(29_100, 1_000 + 50, waits)).toBe(49_150);
  expect(advance(9_000, 2_200, waits)).toBe(49_200);
  expect([9_099, 9_100, 49_099, 49_100].map((time) => waitAt(waits, time) !== undefined)).toEqual([
    false,
    true,
    true,
    false,
  ]);
});

test.each([
  [2_600, 1_000, ['0', '200 ms', '400 ms', '600 ms', '800 ms', '1.0 s', '1.2 s', '1.4 s']],
  [9, 200, ['0', '5 ms']],
  [61_000, 400, ['0', '15 s', '30 s', '45 s', '1 m']],
  [200_000, 300, ['0', '1 m', '2 m', '3 m']],
])('an axis of %d ms on %d pixels has room for its ticks', (end, pixels, labels) => {
  const step = tickStep(end, pixels);
  expect((pixels * step) / end).toBeGreaterThanOrEqual(72);
  expect(
    ticksOf(end, step)
      .slice(0, 8)
      .map((tick) => tickLabel(tick, step)),
  ).toEqual(labels);
});

test.each([
  [6_600, ['0', '2 s', '4 s', '6 s']],
  [268, ['0', '200 ms']],
  [90_000, ['0', '1 m']],
])('the labels of an axis of %d ms do not overlap on a phone', (end, labels) => {
  const step = tickStep(end, 130, 30);
  const shown = ticksOf(end, step).map((tick) => tickLabel(tick, step));
  expect(shown).toEqual(labels);
});
