import { CuelineError } from '@cueline/core';
import { tags, type Tags } from '@cueline/core/agents';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseTags, tagsLine } from '../../../src/agents/tags/parse-tags.ts';
import { startCpuTime } from '../../support/cpu-time.ts';
import { refusalOf } from '../../support/refusal.ts';

const answer = tags(['answer']);
const both = tags({ required: ['answer'], optional: ['note'] });

const steps = tags({ required: ['step'], optional: ['note'], lists: ['step', 'note'] });
const blocks = tags({ required: ['json'], optional: ['C++', 'answer'], markdown: ['json', 'C++'] });

const read = (text: string, of: Tags = answer): unknown => parseTags(of, text);

describe('the content of a tag', () => {
  test.each([
    ['text around', 'I think\n<answer>42</answer>\nis right.', '42'],
    ['space and attributes', '< Answer  lang="a > b" >\n  4 2 \n</ ANSWER >', '4 2'],
    ['a fence around', '```xml\n<answer>42</answer>\n```', '42'],
    ['a fence inside', '<answer>```js\n1 < 2\n```</answer>', '```js\n1 < 2\n```'],
    ['the tag name mentioned before', 'Put it into <answer> tags: <answer>42</answer>', '42'],
    ['an empty pair mentioned before', 'Use <answer></answer>. <answer>42</answer>', '42'],
    ['an empty pair mentioned after', '<answer>42</answer>, in <answer></answer> as asked', '42'],
    ['the last of several blocks that are not empty', '<answer>41</answer> No: <answer>42</answer>', '42'],
    ['the same tag inside', '<answer>a <answer>b</answer> c</answer>', 'a <answer>b</answer> c'],
    ['another tag inside', '<answer>a <b>c</b> & d</answer>', 'a <b>c</b> & d'],
    ['a longer name', '<answers>1</answers><answer>42</answer><answer-2>3</answer-2>', '42'],
    ['a stray end', '</answer><answer>42</answer></answer>', '42'],
    ['a stray <', 'if 1 < 2 or <answer <answer>42</answer>', '42'],
    ['an empty one', '<answer/><answer>42</answer>', '42'],
  ])('%s', (_, text, value) => {
    expect(read(text)).toEqual({ answer: value });
  });

  test('an optional tag is present if it has content', () => {
    expect(read('<answer>42 <note>sure</note></answer>', both)).toEqual({
      answer: '42 <note>sure</note>',
      note: 'sure',
    });
    expect(read('<answer>42</answer><note> </note>', both)).toEqual({ answer: '42' });
  });
});

describe('a tag that may be repeated is a list', () => {
  test.each([
    ['one', '<step>a</step>', ['a']],
    ['several, in their order', '<step>b</step> then <step>a</step>, <step>b</step>', ['b', 'a', 'b']],
    ['empty ones do not count', '<step></step><step> a </step><step/>', ['a']],
    [
      'tags inside a tag do not count',
      '<step>a <step>b</step></step><step>c</step>',
      ['a <step>b</step>', 'c'],
    ],
    ['incomplete tags do not count', '<step>a</step><step>b', ['a']],
  ])('%s', (_, text, step) => {
    expect(read(text, steps)).toEqual({ step, note: [] });
  });

  test('a required list has content, an optional list may be empty', () => {
    expect(read('<step>a</step><note>x</note><note>y</note>', steps)).toEqual({
      step: ['a'],
      note: ['x', 'y'],
    });
    expect(refusalOf(() => read('<note>x</note>', steps))).toBe(
      'parse_failed: <step> is missing. Write it as <step>…</step>.',
    );
    expect(refusalOf(() => read('<step> </step>', steps))).toMatch('<step> is empty');
  });
});

describe('a tag of Markdown is a code block', () => {
  test.each([
    ['text around', 'Here:\n```json\n{ "a": 1 }\n```\nDone.', '{ "a": 1 }'],
    ['in one line', 'Here:\n```json { "a": 1 } ```', '{ "a": 1 }'],
    ['upper case, a title and CRLF line ends', '```JSON title="x"\r\n1\r\n```\r\n', '1'],
    ['longer fences of tildes', '~~~~json\n~~~\n1\n~~~\n~~~~', '~~~\n1\n~~~'],
    ['an indented block keeps its indentation', '  ```json\n\n    [\n  1]\n\n  ```', '  [\n1]'],
    ['a block of another kind around', '```markdown\n```json\n1\n```\n```', '1'],
    ['a block inside', '```json\n```js\n1\n```\n2\n```', '```js\n1\n```\n2'],
    ['a longer name', '```json5\n1\n```\n```json\n2\n```', '2'],
    [
      'the last of several blocks that are not empty',
      '```json\n1\n```\nNo:\n```json\n2\n```\n```json\n```',
      '2',
    ],
    ['an XML tag of that name', '<json>1</json>\n```json\n2\n```', '2'],
  ])('%s', (_, text, json) => {
    expect(read(text, blocks)).toEqual({ json });
  });

  test('may stand beside XML tags, and may be a list', () => {
    expect(read('<answer>a</answer>\n```json\n1\n```\n```c++\nint a;\n```', blocks)).toEqual({
      answer: 'a',
      json: '1',
      'C++': 'int a;',
    });
    const all = tags({ required: ['sql'], lists: ['sql'], markdown: ['sql'] });
    expect(read('```sql\nSELECT 1\n```\nand\n```sql\nSELECT 2\n```', all)).toEqual({
      sql: ['SELECT 1', 'SELECT 2'],
    });
  });

  test.each([
    ['1', '```json is missing'],
    ['```json\n```', '```json is empty'],
    ['```json\n1', '```json is opened and never closed'],
    ['```json\n1\n```\n```c++\nint', '```C++ is opened and never closed'],
  ])('%j: %s', (text, fault) => {
    const [opening] = fault.split(' ');
    expect(refusalOf(() => read(text, blocks))).toBe(
      `parse_failed: ${fault}. Write it as ${opening} … \`\`\`.`,
    );
  });
});

describe('an unreadable answer explains the fault to the model', () => {
  test.each([
    ['It is 42.', '<answer> is missing'],
    ['<answer>42', '<answer> is opened and never closed'],
    ['42</answer>', '<answer> is closed and never opened'],
    ['<answer> </answer>', '<answer> is empty'],
  ])('%s', (text, fault) => {
    expect(refusalOf(() => read(text))).toBe(`parse_failed: ${fault}. Write it as <answer>…</answer>.`);
  });

  test('every fault is named', () => {
    expect(refusalOf(() => read('<note>hm', both))).toBe(
      'parse_failed: <answer> is missing; <note> is opened and never closed. Write them as <answer>…</answer>, <note>…</note>.',
    );
  });
});

test('the system prompt names the tags', () => {
  expect(tagsLine(steps)).toBe(
    'Write your answer in these tags: <step>…</step> (one or more). Where it is of use, add: <note>…</note> (as many as you need).',
  );
  expect(tagsLine(blocks)).toBe(
    'Write your answer in these tags: ```json … ```. Where it is of use, add: ```C++ … ```, <answer>…</answer>.',
  );
  expect(tagsLine(both)).toBe(
    'Write your answer in these tags: <answer>…</answer>. Where it is of use, add: <note>…</note>.',
  );
});

test.each([[[]], [{}], ['answer'], [undefined], [{ required: 'answer' }]])(
  'tags(%j) names no tags',
  (names) => {
    expect(refusalOf(() => tags(names as never))).toMatch(/^invalid_definition: tags takes the names/);
  },
);

test.each(['', '1st', 'a b', '__proto__', 'constructor', 'a'.repeat(65)])('no tag is named "%s"', (name) => {
  expect(refusalOf(() => tags([name]))).toMatch(/^invalid_definition: .* cannot be the name of a tag/);
});

test.each([{ lists: ['a'] }, { required: ['b'], markdown: ['a'] }])(
  'a tag of %j must also be required or optional',
  (names) => {
    expect(refusalOf(() => tags({ optional: ['c'], ...names } as never))).toBe(
      'invalid_definition: The tag "a" is only in lists or markdown. Add it to required or optional.',
    );
  },
);

test('a name may be used once', () => {
  expect(refusalOf(() => tags({ required: ['a'], optional: ['A'] }))).toMatch(/'A' is named twice/);
});

test('any text in tags is read back, whatever surrounds it', () => {
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
    const cpuTime = startCpuTime();
    expect(() => read(text)).toThrow(CuelineError);
    expect(cpuTime()).toBeLessThan(2_000);
  },
);

test.each(['```', '```json', '```json\n', '~', '``` x ', '\n', ' ', '```json a`'])(
  'a megabyte of %j is read for code blocks in linear time',
  (piece) => {
    const text = `${piece.repeat(Math.ceil(1_000_000 / piece.length))}x`;
    const cpuTime = startCpuTime();
    expect(() => read(text, blocks)).toThrow(CuelineError);
    expect(cpuTime()).toBeLessThan(2_000);
  },
);
