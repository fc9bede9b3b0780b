import { createElement } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import { expect, test } from 'vitest';
import { Data } from '../../src/ui/data/data-view.tsx';

const drawn = (value: unknown): string => renderToStaticMarkup(createElement(Data, { value }));

test('a text is shown with its line breaks, and hidden characters as escapes', () => {
  expect(drawn({ text: 'Dear Ada,\n\nyour room' })).toContain('Dear Ada,\n\nyour room');
  expect(drawn('a\u202eb')).toContain('a\\u202eb');
});

test.each([
  ['base64', 'iVBORw0K', 'image/png', 'data:image/png;base64,iVBORw0K'],
  ['a data URL', 'data:image/png;base64,iVBORw0K', 'image/png', 'data:image/png;base64,iVBORw0K'],
  [
    'an address',
    'https://evil.example/a.png',
    'image/png',
    'data:image/png;base64,https://evil.example/a.png',
  ],
  ['another file', 'JVBERi0', 'application/pdf', undefined],
])('a picture is drawn from its bytes and never loaded: %s', (_what, data, mediaType, url) => {
  const markup = drawn([{ type: 'image', data, mediaType }]);
  expect(/<img src="([^"]*)"/.exec(markup)?.[1]).toBe(url);
});

test('the parts of a small value are shown, and those of a large one are folded', () => {
  expect(drawn({ outer: { inner: [1, { deep: 'here' }] } })).toContain('here');
  const large = drawn(Array.from({ length: 200 }, (_, id) => ({ id, text: 'secret' })));
  expect(large).toContain('id 0, text secret');
  expect(large.match(/aria-expanded="false"/g)).toHaveLength(50);
  expect(large).toContain('Show more (150 left)');
});

test('a large, deeply nested value is drawn only in part', () => {
  let value: unknown = 'end';
  for (let depth = 0; depth < 90; depth += 1)
    value = { a: value, b: Array.from({ length: 300 }, () => depth) };
  expect(drawn(value).length).toBeLessThan(50_000);
});
