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

test('a single move is told at once', () => {
  goTo(4);
  expect(told).toEqual([4]);
  vi.advanceTimersByTime(1_000);
  goTo(7);
  expect(told).toEqual([4, 4, 7]);
});

test('of a drag, the first moment is told, and the one that stays', () => {
  goTo(1, 2, 3);
  vi.advanceTimersByTime(50);
  goTo(4, 5);
  expect(told).toEqual([1]);
  vi.advanceTimersByTime(100);
  expect(told).toEqual([1, 5]);
});

test('the way back to now is told at once, also in a drag', () => {
  goTo(1, 2);
  useInspection.getState().goTo(undefined);
  expect(told).toEqual([1, undefined]);
});

test('every moment of a run that plays is told', () => {
  useInspection.setState({ playing: true });
  goTo(1, 2, 3);
  expect(told).toEqual([1, 2, 3]);
});

test('nothing is told after the end', () => {
  goTo(1, 2);
  stop();
  vi.advanceTimersByTime(1_000);
  goTo(3);
  expect(told).toEqual([1]);
});
