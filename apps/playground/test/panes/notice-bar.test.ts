// @vitest-environment happy-dom
import { act, createElement } from 'react';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { NoticeBar } from '../../src/panes/notice-bar.tsx';
import { usePlayground } from '../../src/state/store.ts';
import { openRoot } from '../drawn.ts';

const { page, draw } = openRoot();
const store = () => usePlayground.getState();
beforeEach(() => {
  usePlayground.setState(usePlayground.getInitialState(), true);
  store().edit('// mine');
  store().replaceScript('// shared', { origin: 'link', name: 'shared' });
  usePlayground.setState({ notice: { kind: 'opened', from: 'link' } });
  draw(createElement(NoticeBar));
});
afterEach(() => draw(null));

test('an opened link says what Run will use if that is a real model', () => {
  expect(page.textContent).toContain('Opened from a link — read it before you run it.');
  expect(page.textContent).not.toContain('Run will use');
  const compatible = { model: 'llama3.2', baseUrl: 'http://localhost:11434/v1' };
  const connection = { ...store().connection, kind: 'compatible' as const, compatible };
  act(() => void usePlayground.setState({ connection }));
  expect(page.textContent).toContain('Run will use llama3.2 at localhost:11434.');
});

test('one click leads from an opened link back to the user’s own script', () => {
  const [back] = page.querySelectorAll('button');
  expect(back?.textContent).toBe('Back to your script');
  act(() => back!.click());
  expect(store().script).toBe('// mine');
});
