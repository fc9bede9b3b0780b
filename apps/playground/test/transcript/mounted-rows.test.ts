import { expect, test } from 'vitest';
import type { Selection } from '../../src/state/inspection.ts';
import { mountedRows, rowOfSelection } from '../../src/transcript/list/mounted-rows.ts';
import type { TranscriptItem } from '../../src/transcript/transcript-item.ts';

const none = { drawn: 0, fromStart: false, touched: [], marked: undefined, selected: -1 };
const sorted = (rows: number[]): number[] => rows.toSorted((one, other) => one - other);

test('the end of a long list and the rows that the user works with stay on the page', () => {
  expect(mountedRows({ ...none, length: 1_000 })).toEqual([996, 997, 998, 999]);
  expect(mountedRows({ ...none, length: 1_000, fromStart: true })).toEqual([0, 1, 2, 3]);
  const used = mountedRows({ ...none, length: 1_000, touched: [7], marked: [500, 502], selected: 20 });
  expect(sorted(used)).toEqual([7, 20, 500, 501, 502, 996, 997, 998, 999]);
});

test('rows that are drawn a few at a time count from the end that is read first', () => {
  expect(sorted(mountedRows({ ...none, length: 10, drawn: 6 }))).toEqual([4, 5, 6, 7, 8, 9]);
  expect(sorted(mountedRows({ ...none, length: 10, drawn: 6, fromStart: true }))).toEqual([0, 1, 2, 3, 4, 5]);
});

test('after a jump to a shorter list, no row beyond its end stays', () => {
  const rows = mountedRows({ ...none, length: 2, drawn: 10, touched: [-1, 1, 7], marked: [1, 9] });
  expect(sorted(rows)).toEqual([0, 1]);
  expect(mountedRows({ ...none, length: 0, drawn: 5 })).toEqual([]);
});

const step = (turn: number, number: number): TranscriptItem =>
  ({
    key: `step-${turn}-${number}`,
    kind: 'step',
    turn,
    path: undefined,
    step: { step: number },
  }) as TranscriptItem;
const call = (toolCallId: string, inner: string[] = []): TranscriptItem =>
  ({
    key: toolCallId,
    kind: 'tool',
    turn: 1,
    path: undefined,
    call: { toolCallId, step: 0 },
    inner: inner.map((path) => ({ kind: 'inner', agent: { path } })),
  }) as unknown as TranscriptItem;
const agent = (path: string): TranscriptItem =>
  ({
    key: path,
    kind: 'agent',
    turn: 1,
    path: undefined,
    agent: { path },
    call: { toolCallId: path, step: 0 },
  }) as TranscriptItem;
const items = [
  { key: 'user', kind: 'text', text: '', streaming: false } as TranscriptItem,
  step(0, 0),
  step(1, 0),
  call('one'),
  call('two', ['judge']),
  agent('writer'),
];

test.each<[Selection | undefined, number]>([
  [undefined, -1],
  [{ kind: 'definition', of: 'tool', name: 'look' }, -1],
  [{ kind: 'step', turn: 1, step: 0 }, 2],
  [{ kind: 'step', turn: 2, step: 0 }, -1],
  [{ kind: 'call', turn: 1, step: 0, toolCallId: 'one' }, 3],
  [{ kind: 'call', turn: 1, step: 0, toolCallId: 'other' }, -1],
  // a row inside a card counts as the card's row
  [{ kind: 'step', turn: 1, step: 0, agent: 'judge' }, 4],
  [{ kind: 'step', turn: 1, step: 3, agent: 'writer' }, 5],
  [{ kind: 'call', turn: 1, step: 0, agent: 'writer/helper', toolCallId: 'one' }, 5],
  [{ kind: 'step', turn: 1, step: 0, agent: 'writers' }, -1],
])('a selection is at its row: %j', (selection, row) => {
  expect(rowOfSelection(items, selection)).toBe(row);
});
