import fc from 'fast-check';
import { expect, test } from 'vitest';
import { continuesList, toMarkdownBlocks } from '../../../src/transcript/content/markdown-blocks.ts';

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

const items = (count: number, line: (index: number) => string) =>
  Array.from({ length: count }, (_, index) => line(index));

test('a long list is cut between its outer items', () => {
  const lines = items(120, (index) => `- item ${index}\n  - inner\n  more`);
  const blocks = toMarkdownBlocks(`Intro:\n\n${lines.join('\n')}\n\nEnd`);
  expect(blocks).toEqual([
    'Intro:',
    lines.slice(0, 50).join('\n'),
    lines.slice(50, 100).join('\n'),
    lines.slice(100).join('\n'),
    'End',
  ]);
  expect(blocks.map((block, index) => continuesList(blocks[index - 1], block))).toEqual([
    false,
    false,
    true,
    true,
    false,
  ]);
});

test('a numbered list is split only where its numbers continue', () => {
  const counted = (start: number) => items(60, (index) => `${start + index}. item`);
  expect(toMarkdownBlocks(counted(7).join('\n'))).toEqual([
    counted(7).slice(0, 50).join('\n'),
    counted(7).slice(50).join('\n'),
  ]);
  const ones = items(200, () => '1. item').join('\n');
  expect(toMarkdownBlocks(ones)).toEqual([ones]);
});

test('items inside one outer item, and inside a fence, are never split', () => {
  const inner = `1. outer\n${items(200, () => '   - inner').join('\n')}`;
  expect(toMarkdownBlocks(inner)).toEqual([inner]);
  const fence = `\`\`\`diff\n${items(200, () => '- gone').join('\n')}\n\`\`\``;
  expect(toMarkdownBlocks(fence)).toEqual([fence]);
});
