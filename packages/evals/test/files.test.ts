// Cases and stored runs in files.
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runPrompt } from '@cueline/core';
import { scriptedModel } from '@cueline/core/testing';
import { fileEvalStore, readCases } from '@cueline/evals';
import { afterAll, expect, test } from 'vitest';

const folder = mkdtempSync(join(tmpdir(), 'cueline-evals-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function file(name: string, text: string): string {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
}

test.each([
  ['a list', '[{ "input": { "TEXT": "a" }, "expect": "b" }]'],
  ['an object', '{ "cases": [{ "input": { "TEXT": "a" }, "expect": "b" }] }'],
])('cases can be JSON: %s', (_, text) => {
  expect(readCases(file('cases.json', text))).toEqual([{ input: { TEXT: 'a' }, expect: 'b' }]);
});

test('cases can be CSV as Excel writes it', () => {
  const text =
    '\uFEFFid,TEXT,expect,tags,mark\r\nfirst,"one, two",A,easy short,true\r\n,three,B,"easy, long",\r\n';
  expect(readCases(file('cases.csv', text))).toEqual([
    { id: 'first', input: { TEXT: 'one, two' }, expect: 'A', tags: ['easy', 'short'], mark: true },
    { input: { TEXT: 'three' }, expect: 'B', tags: ['easy', 'long'] },
  ]);
});

test.each([
  ['bad.json', '{', 'it is not JSON'],
  ['bad.json', '"cases"', 'it is not a list of cases'],
  ['bad.json', '[]', 'it has no cases'],
  ['bad.json', '[{ "expect": "b" }]', '[0] has no "input"'],
  ['bad.csv', 'id,expect\na,b\n', 'no column is input'],
  ['bad.csv', 'TEXT,mark\na,perhaps\n', 'row 1: mark is "perhaps"'],
  ['bad.csv', 'TEXT,expect\na,b,c\n', 'row 1: Too many fields'],
])('a faulty %s is refused: %s', (name, text, message) => {
  expect(() => readCases(file(name, text))).toThrow(message);
});

test('a store keeps logs, and accepts simultaneous writes of the same log', async () => {
  const { run } = await runPrompt((prompt) => prompt.$`Hello`, { model: scriptedModel(['Hi']) });
  await run.finished;
  const log = [...run.log()];
  const store = fileEvalStore(join(folder, 'runs'));
  await Promise.all(Array.from({ length: 20 }, () => store.set('abcdef', log)));
  expect(await store.get('abcdef')).toEqual(JSON.parse(JSON.stringify(log)));
  expect(readdirSync(join(folder, 'runs', 'ab'))).toEqual(['cdef.json']);
  expect(await store.get('missing')).toBeUndefined();
  expect(await fileEvalStore(join(folder, 'runs'), { fresh: true }).get('abcdef')).toBeUndefined();
  writeFileSync(join(folder, 'runs', 'ab', 'cdef.json'), '[{"type":');
  expect(await store.get('abcdef')).toBeUndefined();
});

test('a misspelt option of fileEvalStore is refused', () => {
  expect(() => fileEvalStore(folder, { refresh: true } as never)).toThrow(
    'fileEvalStore has no "refresh". Did you mean fresh?',
  );
});
