import { median, printTable } from '../table.ts';
import { keyCount } from './long-visit.ts';
import type { Measured } from './measure.ts';
import type { Sent } from './visits.ts';

/** A frame of 60 a second, in milliseconds. */
const FRAME_MS = 1_000 / 60;

/**
 * When the bare page has its editor on the machine that the budgets are for, by slowdown, in milliseconds. It has two
 * cores and does nothing else.
 */
const quietEditor: Readonly<Record<number, number>> = { 1: 620, 4: 1_510 };

type Row = [name: string, value: string, bare: string, ratio: string, quiet: string, budget: string];
const columns: Row = ['', 'playground', 'bare page', 'ratio', 'quiet', 'budget'];

/** Prints the bytes of a visit. */
export function printSizes({ first, bareEditor }: Measured): void {
  const sizes = (key: keyof Sent): [number, number] => [
    median(first.map(({ sent }) => sent[key])),
    median(bareEditor.map(({ sent }) => sent[key])),
  ];
  const row = (name: string, [size, bare]: [number, number], budget = Infinity): Row => [
    name,
    kilobytes(size),
    bare === 0 ? '' : kilobytes(bare),
    bare === 0 ? '' : `×${(size / bare).toFixed(2)}`,
    '',
    Number.isFinite(budget) ? `≤ ${kilobytes(budget)}${size > budget ? ' (over)' : ''}` : '',
  ];
  printTable('playground: bytes of a first visit with gzip, beside a page with @monaco-editor/react alone', [
    columns,
    row('everything', sizes('all')),
    row('scripts before the first paint', sizes('entry'), 200_000),
    row('Monaco with its workers', sizes('editor')),
    row('types of core and zod', sizes('types')),
    row('the sandbox, with core for its worker', sizes('sandbox')),
  ]);
}

/** Prints the times until a visitor sees something. */
export function printVisits(slowdown: number, measured: Measured): void {
  const { first, again, bareEditor, bareStream } = measured;
  const isSlow = slowdown === 4;
  const pace = quietPace(slowdown, measured);
  const time = timeRow(pace);
  const seen = (visits: readonly { seen: Record<string, number> }[], name: string): number =>
    median(visits.map((visit) => visit.seen[name] ?? Number.NaN));
  const longest = (visits: readonly { longest: number }[]): number =>
    median(visits.map((visit) => visit.longest));
  const heading = `playground: a visit at ×${slowdown} slowed CPU, median of ${first.length}; quiet: ×${pace.toFixed(2)} of this`;
  printTable(heading, [
    columns,
    time('first paint', seen(first, 'paint'), seen(bareEditor, 'paint')),
    time('first visit: the recorded run is on the page', seen(first, 'recording'), undefined, 1_500),
    time(
      'first visit: editor',
      seen(first, 'editor'),
      seen(bareEditor, 'editor'),
      isSlow ? 2_500 : undefined,
    ),
    time('first visit: types checked', seen(first, 'checked'), undefined, isSlow ? 4_000 : undefined),
    time('first visit: longest task after the first paint', longest(first), longest(bareEditor), 200),
    time('own script: editor', seen(again, 'editor'), seen(bareEditor, 'editor'), isSlow ? 2_500 : undefined),
    time(
      'own script: a wrong line is marked',
      seen(again, 'wrong'),
      seen(bareEditor, 'wrong'),
      isSlow ? 4_000 : undefined,
    ),
    time('own script: longest task after the first paint', longest(again), longest(bareEditor), 200),
    time('Run to the first word', seen(again, 'word'), median(bareStream.map(({ word }) => word)), 400),
    time(
      'longest task of that run',
      median(again.map(({ longestAfterRun }) => longestAfterRun)),
      longest(bareStream),
      200,
    ),
  ]);
}

/** Prints what a run of 20,000 events costs. */
export function printLongRun(slowdown: number, measured: Measured): void {
  const { long, bareSlider, bareTyping } = measured;
  const pace = quietPace(slowdown, measured);
  const time = timeRow(pace);
  const scrub = long.flatMap(({ scrub: { frames } }) => frames);
  const bare = bareSlider.flatMap(({ frames }) => frames);
  const quiet = (times: readonly number[]): readonly number[] => times.map((one) => one * pace);
  const play = median(long.map((visit) => visit.play));
  const keys = long.flatMap(({ typing }) => typing.slow);
  const all = keyCount * long.length;
  printTable(`playground: a run of 20,000 events at ×${slowdown} slowed CPU, ${long.length} rounds`, [
    columns,
    time('opened from the history', median(long.map(({ open }) => open)), undefined, 1_000),
    time('its timeline and inspector', median(long.map(({ details }) => details)), undefined),
    time('longest task of that', median(long.map(({ longestAtOpen }) => longestAtOpen)), undefined, 200),
    time(
      'the press that starts a drag: longest task',
      median(long.map(({ scrub: { press } }) => press)),
      median(bareSlider.map(({ press }) => press)),
      200,
    ),
    [
      `scrubbing: frames within ${FRAME_MS.toFixed(1)} ms of the thread's time`,
      share(scrub),
      share(bare),
      '',
      share(quiet(scrub)),
      `100 %${quiet(scrub).some((one) => one > FRAME_MS) ? ' (below)' : ''}`,
    ],
    [
      'scrubbing: frames a second',
      rate(scrub).toFixed(1),
      rate(bare).toFixed(1),
      '',
      rate(quiet(scrub)).toFixed(1),
      `60${Math.round(rate(quiet(scrub))) < 60 ? ' (below)' : ''}`,
    ],
    time("scrubbing: the thread's time for a frame, median", median(scrub), median(bare), FRAME_MS),
    time("scrubbing: the thread's time for a frame, 95 %", p95(scrub), p95(bare), FRAME_MS),
    time(
      "playing at ×8 while typing: the thread's time for a frame, mean",
      play,
      median(bareTyping),
      FRAME_MS,
    ),
    [
      'keys that were dropped',
      `${long.reduce((sum, { typing }) => sum + typing.dropped, 0)} of ${all}`,
      '',
      '',
      '',
      '0',
    ],
    [
      'keys that were painted within 16 ms',
      `${(100 * (1 - keys.length / all)).toFixed(0)} %`,
      '',
      '',
      '',
      '',
    ],
    ['slowest key', keys.length === 0 ? '< 16 ms' : `${Math.max(...keys).toFixed(0)} ms`, '', '', '', ''],
  ]);
}

/** How many of these fit into a frame. */
function share(times: readonly number[]): string {
  return `${((100 * times.filter((one) => one <= FRAME_MS).length) / times.length).toFixed(1)} %`;
}

/**
 * Returns the frames per second if frames take these times: one that exceeds a refresh of the screen is shown at a
 * later refresh.
 */
function rate(times: readonly number[]): number {
  const frames = times.reduce((sum, one) => sum + Math.max(1, Math.ceil(one / FRAME_MS)), 0);
  return (1_000 / FRAME_MS) * (times.length / frames);
}

function p95(times: readonly number[]): number {
  return times.toSorted((a, b) => a - b)[Math.floor(times.length * 0.95)] ?? Number.NaN;
}

/** How many times as long this machine would take if it were as fast as the one that the budgets are for. */
function quietPace(slowdown: number, { bareEditor }: Measured): number {
  const quiet = quietEditor[slowdown];
  if (quiet === undefined) throw new Error(`There is no time of a quiet machine at ×${slowdown}.`);
  return quiet / median(bareEditor.map(({ seen }) => seen['editor'] ?? Number.NaN));
}

type TimeRow = (name: string, value: number, bare?: number, budget?: number) => Row;

/** Returns a function that makes the row of a time. `pace` is that of {@link quietPace}. */
function timeRow(pace: number): TimeRow {
  return (name, value, bare, budget) => [
    name,
    milliseconds(value),
    bare === undefined ? '' : milliseconds(bare),
    bare === undefined || bare === 0 ? '' : `×${(value / bare).toFixed(2)}`,
    milliseconds(value * pace),
    budget === undefined ? '' : `≤ ${milliseconds(budget)}${value * pace > budget ? ' (over)' : ''}`,
  ];
}

function milliseconds(value: number): string {
  return value < 100 ? `${value.toFixed(1)} ms` : `${Math.round(value).toLocaleString('en')} ms`;
}

function kilobytes(bytes: number): string {
  return `${(bytes / 1_000).toFixed(1)} kB`;
}
