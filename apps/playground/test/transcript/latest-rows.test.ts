import { expect, test } from 'vitest';
import { latestOf } from '../../src/transcript/list/latest-rows.tsx';
import type { ListItem } from '../../src/transcript/list/list-items.ts';

const text = (key: string, length: number): ListItem => ({
  key,
  kind: 'text',
  text: 'x'.repeat(length),
  streaming: false,
});

test('as many of the last rows are drawn as fill the height, whatever their texts are', () => {
  const short = Array.from({ length: 100 }, (_, index) => text(`${index}`, 10));
  const { items, first, count } = latestOf(short, 900);
  expect([items.length, first, count]).toEqual([25, 75, 100]);
  expect(items.at(-1)!.key).toBe('99');
  // a long text needs fewer rows above it
  expect(latestOf([...short, text('long', 4_000)], 900).items).toHaveLength(10);
});

test('all rows of a short list are drawn', () => {
  expect(latestOf([text('only', 10)], 900)).toMatchObject({ first: 0, count: 1 });
  expect(latestOf([], 900)).toEqual({ items: [], first: 0, count: 0 });
});
