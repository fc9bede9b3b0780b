import { expect, test } from 'vitest';
import { relativesOf } from '../../src/history/keep-relatives.ts';
import type { RunRow } from '../../src/history/rows.ts';

function row(id: string, startedOn: number, parent?: string): RunRow {
  return {
    id,
    title: id,
    pinned: false,
    source: { script: '' },
    model: { name: 'm', detail: '' },
    simulated: true,
    startedOn,
    updatedOn: startedOn,
    status: 'done',
    steps: 1,
    turns: 1,
    elapsed: 1,
    size: 1,
    hasLog: true,
    writer: 'w',
    ...(parent === undefined ? {} : { parent: { id: parent, turn: 0, step: 1 } }),
  };
}

const ids = (id: string, rows: readonly RunRow[]) => relativesOf(id, rows).map((one) => one.id);

test('the runs of a tree are those with the same first run, oldest first', () => {
  const rows = [row('c', 3, 'b'), row('b', 2, 'a'), row('a', 1), row('d', 4, 'a'), row('other', 5)];
  expect(ids('c', rows)).toEqual(['a', 'b', 'd']);
  expect(ids('a', rows)).toEqual(['b', 'c', 'd']);
  expect(ids('other', rows)).toEqual([]);
});

test('a deleted parent ends the tree, and a run that names itself as its parent has no relatives', () => {
  expect(ids('c', [row('c', 3, 'gone'), row('d', 4, 'gone')])).toEqual([]);
  expect(ids('x', [row('x', 1, 'x'), row('y', 2, 'x')])).toEqual(['y']);
  expect(ids('p', [row('p', 1, 'q'), row('q', 2, 'p')]).length).toBeLessThan(2);
});

test('a run without its log is left out', () => {
  expect(ids('a', [row('a', 1), { ...row('b', 2, 'a'), hasLog: false }])).toEqual([]);
});
