import type { SubCallState } from '@cueline/core';
import { createElement } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import { expect, test } from 'vitest';
import { SubCalls } from '../../src/transcript/calls/sub-calls.tsx';

const calls = (count: number): SubCallState[] =>
  Array.from({ length: count }, (_, index) => ({
    name: `call${index}`,
    input: {},
    state: 'output-available',
    output: index,
    startedAt: index,
    ms: 1,
  }));

const drawn = (
  subCalls: readonly SubCallState[],
): { names: (string | undefined)[]; all: string | undefined } => {
  const html = renderToStaticMarkup(createElement(SubCalls, { subCalls, clock: undefined }));
  const names = [...html.matchAll(/data-sub-call="([^"]*)"/g)].map(([, name]) => name);
  return { names, all: /Show all [\d,]+ calls/.exec(html)?.[0] };
};

test('each call is a disclosure, closed at first', () => {
  const html = renderToStaticMarkup(createElement(SubCalls, { subCalls: calls(2), clock: undefined }));
  expect(html.match(/<button[^>]*aria-expanded="false"/g)).toHaveLength(2);
  expect(html).not.toContain('<dl');
});

test('up to 200 calls are all drawn, and only the last 200 of more', () => {
  const names = (from: number, to: number): string[] =>
    calls(to)
      .slice(from)
      .map(({ name }) => name);
  expect(drawn(calls(200))).toEqual({ names: names(0, 200), all: undefined });
  expect(drawn(calls(20_000))).toEqual({ names: names(19_800, 20_000), all: 'Show all 20,000 calls' });
});
