import type { CompiledRequest } from '@cueline/core';
import { createElement } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import { expect, test } from 'vitest';
import { RequestView } from '../../src/request/request-view.tsx';

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

test('a request is shown whole, with the tokens and the name of each definition', () => {
  const page = renderToStaticMarkup(createElement(RequestView, { request }));
  for (const text of ['about 1,019', 'Intro.', 'Hi', 'a.png', 'Finds', 'temperature']) {
    expect(page).toContain(text);
  }
  expect([...page.matchAll(/data-definition="([^"]*)"/g)].map(([, name]) => name)).toEqual([
    'CITY',
    'role',
    'search',
  ]);
});
