import { CuelineError, tags, type Tags } from '@cueline/core';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseTags, tagsLine } from '../../src/call/parse-tags.ts';

const answer = tags(['answer']);
const both = tags({ required: ['answer'], optional: ['note'] });

function faultOf(act: () => unknown): string {
  try {
    act();
  } catch (error) {
    if (CuelineError.isInstance(error)) return `${error.code}: ${error.message}`;
    throw error;
  }
  throw new Error('did not throw');
}

const read = (text: string, of: Tags = answer): unknown => parseTags(of, text);

describe('what is read', () => {
  test.each([
    ['text around', 'I think\n<answer>42</answer>\nis right.', '42'],
    ['space and attributes', '< Answer  lang="a > b" >\n  4 2 \n</ ANSWER >', '4 2'],
    ['a fence around', '```xml\n<answer>42</answer>\n```', '42'],
    ['a fence inside', '<answer>```js\n1 < 2\n```</answer>', '```js\n1 < 2\n```'],
    ['the tag mentioned before', 'Put it into <answer> tags: <answer>42</answer>', '42'],
    ['the pair mentioned before', 'Use <answer></answer>. <answer>42</answer>', '42'],
    ['the pair mentioned after', '<answer>42</answer>, in <answer></answer> as asked', '42'],
    ['a second thought', '<answer>41</answer> No: <answer>42</answer>', '42'],
    ['the same tag inside', '<answer>a <answer>b</answer> c</answer>', 'a <answer>b</answer> c'],
    ['another tag inside', '<answer>a <b>c</b> & d</answer>', 'a <b>c</b> & d'],
    ['a longer name', '<answers>1</answers><answer>42</answer><answer-2>3</answer-2>', '42'],
    ['a stray end', '</answer><answer>42</answer></answer>', '42'],
    ['a stray <', 'if 1 < 2 or <answer <answer>42</answer>', '42'],
    ['an empty one', '<answer/><answer>42</answer>', '42'],
  ])('%s', (_, text, value) => {
    expect(read(text)).toEqual({ answer: value });
  });

  test('an optional tag is there where it says something', () => {
    expect(read('<answer>42 <note>sure</note></answer>', both)).toEqual({
      answer: '42 <note>sure</note>',
      note: 'sure',
    });
    expect(read('<answer>42</answer><note> </note>', both)).toEqual({ answer: '42' });
  });
});

describe('what cannot be read says why, to the model', () => {
  test.each([
    ['It is 42.', '<answer> is missing'],
    ['<answer>42', '<answer> is opened and never closed'],
    ['42</answer>', '<answer> is closed and never opened'],
    ['<answer> </answer>', '<answer> is empty'],
  ])('%s', (text, fault) => {
    expect(faultOf(() => read(text))).toBe(`parse_failed: ${fault}. Write it as <answer>…</answer>.`);
  });

  test('every fault is named', () => {
    expect(faultOf(() => read('<note>hm', both))).toBe(
      'parse_failed: <answer> is missing; <note> is opened and never closed. Write it as <answer>…</answer>.',
    );
  });
});

test('the system prompt names the tags', () => {
  expect(tagsLine(both)).toBe(
    'Write your answer in these tags: <answer>…</answer>. Where it is of use, add: <note>…</note>.',
  );
});

test.each([[[]], [{}], ['answer'], [undefined], [{ required: 'answer' }]])(
  'tags(%j) names no tags',
  (names) => {
    expect(faultOf(() => tags(names as never))).toMatch(/^invalid_definition: tags takes the names/);
  },
);

test.each(['', '1st', 'a b', '__proto__', 'constructor', 'a'.repeat(65)])('no tag is named "%s"', (name) => {
  expect(faultOf(() => tags([name]))).toMatch(/^invalid_definition: .* cannot be the name of a tag/);
});

test('a name is given once', () => {
  expect(faultOf(() => tags({ required: ['a'], optional: ['A'] }))).toMatch(/'A' is named twice/);
});

test('what is written in tags is read back, whatever stands around it', () => {
  const plain = fc.string({ unit: fc.constantFrom('a', ' ', '\n', '"', "'", '/', '>', '&', '`') });
  const around = fc.string({
    unit: fc.constantFrom(
      '<',
      '</',
      'answer',
      '<answer>',
      '<answer x="',
      '>',
      '"',
      ' ',
      'a',
      '<answer>b</answer>',
    ),
  });
  fc.assert(
    fc.property(around, plain, plain, (before, value, after) => {
      fc.pre(value.trim() !== '');
      expect(read(`${before}\n<answer>${value}</answer>${after}`)).toEqual({ answer: value.trim() });
    }),
  );
});

test.each(['<answer ', '<answer "', '<answer', '<answer>', '</answer>', '<', '< '.repeat(8), "<answer x='"])(
  'a megabyte of %j is read in linear time',
  (piece) => {
    const text = piece.repeat(Math.ceil(1_000_000 / piece.length));
    const started = performance.now();
    expect(() => read(text)).toThrow(CuelineError);
    expect(performance.now() - started).toBeLessThan(2_000);
  },
);
