import { createElement } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import { expect, test } from 'vitest';
import { forkTree, type ForkItem } from '../../src/forks/fork-item.ts';
import { ForkTree } from '../../src/forks/fork-tree.tsx';
import { readResult, writeResult } from '../../src/forks/read-result.ts';

const item = (id: string, parent?: string): ForkItem => ({
  id,
  ...(parent === undefined ? {} : { parent: { id: parent, turn: 0, step: 1 } }),
  title: `Run ${id}`,
  status: 'done',
  steps: 2,
  startedOn: 0,
});

test('forks are below the run that they continue; a run whose parent is missing is a root', () => {
  const [first, lost] = forkTree([
    item('a'),
    item('b', 'a'),
    item('c', 'b'),
    item('d', 'a'),
    item('e', 'gone'),
  ]);
  expect(first).toMatchObject({
    id: 'a',
    forks: [
      { id: 'b', forks: [{ id: 'c' }] },
      { id: 'd', forks: [] },
    ],
  });
  expect(lost).toMatchObject({ id: 'e', forks: [] });
});

test('the tree names the status of each run, and the run that is shown', () => {
  const items = [item('a'), { ...item('b', 'a'), status: 'error' } as const];
  const html = renderToStaticMarkup(createElement(ForkTree, { items, shown: 'b', onShow: () => {} }));
  expect(html).toContain('aria-label="Runs and their forks"');
  expect(html.match(/aria-current="true"[^]*?Run b[^]*?Failed/)).not.toBeNull();
  expect(html.match(/aria-current="/g)).toHaveLength(1);
  expect(html).toContain('Done');
});

test.each([
  ['json', '{"a":1}', { output: { a: 1 } }],
  ['json', 'null', { output: null }],
  ['text', '', { output: '' }],
  ['error', 'No power.', { error: 'No power.' }],
] as const)('a result as %s: %s', (kind, text, result) => {
  expect(readResult(kind, text)).toEqual(result);
});

test.each([
  ['json', '{a}', /This is not JSON: .*choose Text/],
  ['error', ' ', /An error needs a sentence/],
] as const)('a wrong text says what to type: %s %s', (kind, text, fault) => {
  expect(readResult(kind, text)).toEqual({ fault: expect.stringMatching(fault) });
});

test('a result is edited as text, as JSON or as an error, depending on its kind', () => {
  const call = { toolCallId: 'a', toolName: 't', step: 0, inputText: '', calledAt: 0 } as const;
  expect(writeResult({ ...call, state: 'output-available', output: 'hi' })).toEqual({
    kind: 'text',
    text: 'hi',
  });
  expect(writeResult({ ...call, state: 'output-available', output: [1] })).toEqual({
    kind: 'json',
    text: '[\n  1\n]',
  });
  expect(writeResult({ ...call, state: 'output-error', errorText: 'No.' })).toEqual({
    kind: 'error',
    text: 'No.',
  });
});
