import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { followSettled } from '../../src/inspector/follow-settled.ts';
import { useInspection, type Moment } from '../../src/state/inspection.ts';

const told: (number | undefined)[] = [];
let stop: () => void;

beforeEach(() => {
  vi.useFakeTimers();
  told.length = 0;
  stop = followSettled((moment: Moment | undefined) => told.push(moment?.seq));
  told.length = 0;
});

afterEach(() => {
  stop();
  useInspection.getState().reset();
  useInspection.setState({ playing: false });
  vi.useRealTimers();
});

function goTo(...seqs: number[]): void {
  for (const seq of seqs) useInspection.getState().goTo({ turn: 0, seq });
}

test('a single move is reported at once', () => {
  goTo(4);
  expect(told).toEqual([4]);
  vi.advanceTimersByTime(1_000);
  goTo(7);
  expect(told).toEqual([4, 4, 7]);
});

test('during a drag, the first moment and the one that stays are reported', () => {
  goTo(1, 2, 3);
  vi.advanceTimersByTime(50);
  goTo(4, 5);
  expect(told).toEqual([1]);
  vi.advanceTimersByTime(100);
  expect(told).toEqual([1, 5]);
});

test('the return to the present is reported at once, even during a drag', () => {
  goTo(1, 2);
  useInspection.getState().goTo(undefined);
  expect(told).toEqual([1, undefined]);
});

test('every moment of a playing run is reported', () => {
  useInspection.setState({ playing: true });
  goTo(1, 2, 3);
  expect(told).toEqual([1, 2, 3]);
});

test('nothing is reported after the end', () => {
  goTo(1, 2);
  stop();
  vi.advanceTimersByTime(1_000);
  goTo(3);
  expect(told).toEqual([1]);
});
