import fc from 'fast-check';
import { expect, test } from 'vitest';
import { toMarkdownBlocks } from '../../src/transcript/markdown-blocks.ts';

test('cuts at blank lines, and keeps fences and lists whole', () => {
  const text = '# Title\n\nText\nmore\n\n```ts\na\n\nb\n```\n\n1. one\n\n2. two\n\n   still two\n\nEnd';
  expect(toMarkdownBlocks(text)).toEqual([
    '# Title',
    'Text\nmore',
    '```ts\na\n\nb\n```',
    '1. one\n\n2. two\n\n   still two',
    'End',
  ]);
});

test('a fence that has not ended yet takes everything that follows', () => {
  expect(toMarkdownBlocks('```\na\n\n# no title\n')).toEqual(['```\na\n\n# no title']);
});

test('growing text changes no block but the last', () => {
  const line = fc.constantFrom(
    '',
    '# t',
    'word',
    '- item',
    '1. one',
    '```',
    '~~~',
    '    code',
    '> quote',
    '  more',
  );
  fc.assert(
    fc.property(fc.array(line), line, (lines, next) => {
      const before = toMarkdownBlocks(lines.join('\n'));
      const after = toMarkdownBlocks([...lines, next].join('\n'));
      expect(after.slice(0, before.length - 1)).toEqual(before.slice(0, -1));
    }),
  );
});

test('no text is lost', () => {
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom('a', ' ', '\n', '-', '`', '1', '.') }), (text) => {
      const letters = (value: string) => value.replaceAll(/\s/g, '');
      expect(letters(toMarkdownBlocks(text).join('\n\n'))).toBe(letters(text));
    }),
  );
});
