import type { CompiledRequest } from '@cueline/core';
import { createElement } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import { expect, test } from 'vitest';
import { RequestView } from '../../src/request/request-view.tsx';
import { partsOf } from '../../src/request/system-parts.ts';

const request: CompiledRequest = {
  model: '',
  instructions: 'Intro.\n\n<CITY>Faro</CITY>\n\nBe brief.',
  instructionParts: [
    { kind: 'variable', name: 'CITY', start: 8, end: 25 },
    { kind: 'system', name: 'role', start: 27, end: 36 },
  ],
  messages: [
    {
      role: 'user',
      content: [
        { type: 'text', text: 'Hi' },
        { type: 'file', mediaType: 'image/png', data: 'AQID', filename: 'a.png' },
      ],
    },
  ],
  tools: [{ name: 'search', description: 'Finds', inputSchema: { type: 'object' } }],
  settings: { temperature: 0 },
};

test('the system prompt is shown in the parts that its definitions make', () => {
  expect(partsOf(request).map(({ kind, name, text }) => [kind, name, text])).toEqual([
    ['instructions', undefined, 'Intro.'],
    ['variable', 'CITY', '<CITY>Faro</CITY>'],
    ['system', 'role', 'Be brief.'],
  ]);
  const odd = [{ kind: 'system' as const, name: 'x', start: 3, end: 999 }];
  expect(partsOf({ ...request, instructionParts: odd }).map(({ name }) => name)).toEqual([undefined]);
});

test('a request shows all that is sent, and what it costs', () => {
  const page = renderToStaticMarkup(createElement(RequestView, { request }));
  for (const text of ['tokens, estimated', 'CITY', 'role', 'Hi', 'a.png', 'search', 'temperature']) {
    expect(page).toContain(text);
  }
});
