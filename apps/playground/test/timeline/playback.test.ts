import type { RunEvent } from '@cueline/core';
import { expect, test } from 'vitest';
import type { Inspection, Moment } from '../../src/state/inspection.ts';
import { createPlayback, shownTime, type Playback } from '../../src/timeline/playback.ts';

const logs = [
  [0, 100, 300],
  [0, 50, 400],
].map((times) => times.map((t, seq) => ({ seq, t, type: 'text-delta' }) as RunEvent));
const turns = { count: () => logs.length, log: (turn: number) => logs[turn]! };

/** A playback whose clock and frames the test controls. */
function setUp() {
  let time = 1_000;
  let now: Pick<Inspection, 'moment' | 'time'> = { moment: undefined, time: undefined };
  const frames = new Set<() => void>();
  const shown: (string | undefined)[] = [];
  const goTo = (moment: Moment | undefined, chosen?: number): void => {
    if (moment === undefined || moment !== now.moment) shown.push(moment && `${moment.turn}:${moment.seq}`);
    now = { moment, time: chosen };
  };
  const playback: Playback = createPlayback({
    now: () => time,
    nextFrame(callback) {
      frames.add(callback);
      return () => frames.delete(callback);
    },
    getShown: () => now,
    goTo,
  });
  const frame = (ms: number): void => {
    time += ms;
    const due = [...frames];
    frames.clear();
    for (const callback of due) callback();
  };
  return { playback, frame, goTo, shown, getShown: () => now };
}

test('playing shows events at their own times, continues with the next turn, and ends with the run as it is now', () => {
  const { playback, frame, shown, getShown } = setUp();
  playback.play(turns, 0);
  for (const ms of [99, 1, 150, 50]) frame(ms);
  expect(shown).toEqual(['0:0', '0:1', '1:0']);
  for (const ms of [49, 1, 300]) frame(ms);
  expect(shown).toEqual(['0:0', '0:1', '1:0', '1:1']);
  expect(shownTime(getShown(), logs[1]!)).toBe(350);
  frame(50);
  expect(shown.at(-1)).toBeUndefined();
  expect(playback.getState()).toMatchObject({ playing: false });
});

test('a higher speed applies from then on, and a pause keeps a time between two events', () => {
  const { playback, frame, shown, getShown } = setUp();
  playback.play(turns, 1);
  frame(10);
  playback.setSpeed(8);
  frame(10);
  expect(shown).toEqual(['1:0', '1:1']);
  playback.pause();
  frame(1_000);
  expect(shownTime(getShown(), logs[1]!)).toBe(90);
  playback.setSpeed(1);
  playback.play(turns, 0);
  frame(309);
  expect(playback.getState().playing).toBe(true);
  frame(1);
  expect(playback.getState().playing).toBe(false);
});

test('playing ends when the page shows something else', () => {
  const { playback, frame, goTo, shown } = setUp();
  playback.play(turns, 0);
  goTo({ turn: 0, seq: 2 });
  frame(120);
  expect(playback.getState().playing).toBe(false);
  expect(shown).toEqual(['0:0', '0:2']);
});

test('dragging shows one moment a frame, and playing continues from there', () => {
  const { playback, frame, shown } = setUp();
  playback.seek(turns, 0, 40);
  playback.seek(turns, 0, 120);
  playback.seek(turns, 0, 110);
  expect(shown).toEqual([]);
  frame(16);
  expect(shown).toEqual(['0:1']);
  playback.play(turns, 0);
  playback.seek(turns, 1, 20);
  frame(0);
  frame(30);
  expect(shown).toEqual(['0:1', '1:0', '1:1']);
  playback.seek(turns, 1, 400);
  frame(0);
  expect(shown.at(-1)).toBeUndefined();
  expect(playback.getState().playing).toBe(false);
});

test('the time that the next frame shows is known until then', () => {
  const { playback, frame } = setUp();
  playback.seek(turns, 0, 40);
  playback.seek(turns, 0, playback.soughtTime()! + 80);
  expect(playback.soughtTime()).toBe(120);
  frame(16);
  expect(playback.soughtTime()).toBeUndefined();
  playback.seek(turns, 0, 40);
  playback.play(turns, 0);
  expect(playback.soughtTime()).toBeUndefined();
});
