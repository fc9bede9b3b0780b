import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { useInspection, type Moment } from '../../../src/state/inspection.ts';
import { followSettled } from '../../../src/state/moment/follow-settled.ts';

const FRAME = 16;
const reported: (number | undefined)[] = [];
let stop: () => void;

beforeEach(() => {
  vi.useFakeTimers();
  // Node.js has none
  vi.stubGlobal('requestAnimationFrame', (callback: () => void) => setTimeout(callback, FRAME));
  vi.stubGlobal('cancelAnimationFrame', (id: number) => clearTimeout(id));
  reported.length = 0;
  stop = followSettled((moment: Moment | undefined) => reported.push(moment?.seq));
  reported.length = 0;
});

afterEach(() => {
  stop();
  useInspection.getState().reset();
  useInspection.setState({ playing: false });
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

function goTo(...seqs: number[]): void {
  for (const seq of seqs) useInspection.getState().goTo({ turn: 0, seq });
}

test('a single move is reported at once, and only then', () => {
  goTo(4);
  expect(reported).toEqual([4]);
  vi.advanceTimersByTime(1_000);
  goTo(7);
  vi.advanceTimersByTime(1_000);
  expect(reported).toEqual([4, 7]);
});

test('of moments that follow each other, the first and the one that stays are reported', () => {
  goTo(1, 2, 3);
  vi.advanceTimersByTime(50);
  goTo(4, 5);
  expect(reported).toEqual([1]);
  vi.advanceTimersByTime(100 + 2 * FRAME);
  expect(reported).toEqual([1, 5]);
});

test('while the user drags the scrubber, only a moment that stays is reported', () => {
  useInspection.getState().dragScrubber(true);
  goTo(1, 2, 3);
  vi.advanceTimersByTime(50);
  goTo(4);
  expect(reported).toEqual([]);
  vi.advanceTimersByTime(100 + 2 * FRAME);
  expect(reported).toEqual([4]);
});

test('a move that waited behind a busy page comes before the end of a pause', () => {
  useInspection.getState().dragScrubber(true);
  goTo(1);
  // the page was busy until now: the timer is late, and what waited is handled before the next frame
  vi.advanceTimersByTime(100);
  goTo(2);
  vi.advanceTimersByTime(2 * FRAME);
  expect(reported).toEqual([]);
});

test('the return to the present is reported at once, even during a drag', () => {
  goTo(1, 2);
  useInspection.getState().goTo(undefined);
  expect(reported).toEqual([1, undefined]);
});

test('every moment of a playing run is reported', () => {
  useInspection.setState({ playing: true });
  goTo(1, 2, 3);
  expect(reported).toEqual([1, 2, 3]);
});

test('nothing is reported after the end', () => {
  goTo(1, 2);
  stop();
  vi.advanceTimersByTime(1_000);
  goTo(3);
  expect(reported).toEqual([1]);
});
