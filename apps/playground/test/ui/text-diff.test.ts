import { createElement } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import { expect, onTestFinished, test, vi } from 'vitest';
import { compareTexts, TextDiff } from '../../src/ui/text-diff.tsx';

const lines = (word: string, count: number): string =>
  Array.from({ length: count }, (_, index) => `${word} ${index} ${(index * 7919) % 1013}`).join('\n');

test('texts that are too different to compare by words are still marked as old and new', () => {
  const html = renderToStaticMarkup(
    createElement(TextDiff, { before: lines('old', 3_000), after: lines('new', 3_000) }),
  );
  expect(html).toMatch(/<del[^>]*>old 0 /);
  expect(html).toMatch(/<ins[^>]*>new 0 /);
});

test('a changed word is marked alone', () => {
  const html = renderToStaticMarkup(
    createElement(TextDiff, { before: 'A sunny day in May', after: 'A rainy day in May' }),
  );
  expect(html).toMatch(
    /<span>A <\/span><del[^>]*>sunny<\/del><ins[^>]*>rainy<\/ins><span> day in May<\/span>/,
  );
});

test('short texts are compared by words, also on a slow computer', () => {
  let now = 0;
  // a second has passed at each look at the clock
  const clock = vi.spyOn(Date, 'now').mockImplementation(() => (now += 1_000));
  onTestFinished(() => clock.mockRestore());
  const changes = compareTexts('You read feedback.', 'You read feedback. Answer in one word.');
  expect(changes.map(({ value, added, removed }) => [value, added, removed])).toEqual([
    ['You read feedback.', false, false],
    [' Answer in one word.', true, false],
  ]);
});
