import { expect, test } from 'vitest';
import { nearestRelatives, relativesOf } from '../../src/history/keep-relatives.ts';
import type { RunRow } from '../../src/history/rows.ts';
import { rowOf } from './recorded-sessions.ts';

const row = (id: string, startedOn: number, parent?: string): RunRow =>
  rowOf(id, { startedOn, ...(parent === undefined ? {} : { parent: { id: parent, turn: 0, step: 1 } }) });

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

test('in a large tree, the ancestors of the run are opened, and then the newest runs whose parent is opened', () => {
  const nearest = (id: string, rows: readonly RunRow[], most?: number) =>
    nearestRelatives(id, rows, most).map((one) => one.id);
  const forks = Array.from({ length: 21 }, (_, index) => row(`f${index}`, index + 1, 'root'));
  const rows = [row('root', 0), ...forks];
  expect(nearest('f20', rows)).toEqual(['root', ...forks.slice(1, 20).map((one) => one.id)]);

  const chain = [row('a', 1), row('b', 2, 'a'), row('c', 3, 'b'), row('x', 4, 'a'), row('y', 5, 'x')];
  expect(nearest('c', chain, 2)).toEqual(['a', 'b']);
  expect(nearest('c', chain, 1), 'the parent is nearer than the first run').toEqual(['b']);
  expect(nearest('c', chain, 3)).toEqual(['a', 'b', 'x']);
  expect(nearest('c', chain, 4)).toEqual(['a', 'b', 'x', 'y']);
  expect(nearest('a', chain, 2)).toEqual(['x', 'y']);
  const withoutLog = chain.map((one) => (one.id === 'x' ? { ...one, hasLog: false } : one));
  expect(nearest('a', withoutLog)).toEqual(['b', 'c']);
});
