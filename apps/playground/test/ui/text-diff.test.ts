import { createElement } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import { expect, test } from 'vitest';
import { TextDiff } from '../../src/ui/text-diff.tsx';

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
