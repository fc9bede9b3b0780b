// @vitest-environment happy-dom
import { act, createElement } from 'react';
import { afterAll, expect, test } from 'vitest';
import { CONSOLE_LINES } from '../../src/sandbox/limits.ts';
import { usePlayground } from '../../src/state/store.ts';
import { ConsoleFold } from '../../src/transcript/console-fold.tsx';
import { openRoot } from '../drawn.ts';

const { page, draw } = openRoot();
afterAll(() => act(() => void usePlayground.setState({ console: [] })));

test.each([
  [1, 'Console1 line'],
  [CONSOLE_LINES, `Consolethe first ${CONSOLE_LINES} lines`],
])('the console of a script with %i lines in the page says which they are', (count, expected) => {
  const lines = Array.from({ length: count }, () => ({ level: 'log', text: 'a' }) as const);
  act(() => void usePlayground.setState({ console: lines }));
  draw(createElement(ConsoleFold));
  expect(page.textContent).toBe(expected);
});
