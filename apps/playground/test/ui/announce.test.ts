// @vitest-environment happy-dom
import { act, createElement } from 'react';
import { createRoot } from 'react-dom/client';
import { expect, onTestFinished, test, vi } from 'vitest';
import { Announce } from '../../src/ui/announce.tsx';

Object.assign(globalThis, { IS_REACT_ACT_ENVIRONMENT: true });

test('what a hidden pane announces is not hidden', () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  const pane = document.body.appendChild(document.createElement('div'));
  pane.style.display = 'none';
  const root = createRoot(pane);
  act(() => root.render(createElement(Announce, { text: 'Run done.' })));
  act(() => void vi.advanceTimersByTime(3_000));
  const region = (): Element | null => document.querySelector('[role=status][aria-live=polite]');
  expect(region()?.textContent).toBe('Run done.');
  expect(pane.contains(region())).toBe(false);
  act(() => root.unmount());
  expect(region()).toBeNull();
});
