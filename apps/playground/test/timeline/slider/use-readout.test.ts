// @vitest-environment happy-dom
import { act, createElement, createRef, useLayoutEffect } from 'react';
import { createRoot } from 'react-dom/client';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { useReadout } from '../../../src/timeline/slider/use-readout.ts';

Object.assign(globalThis, { IS_REACT_ACT_ENVIRONMENT: true });

const label = createRef<HTMLSpanElement>();
let show: (text: string) => void;

function Readout() {
  const showText = useReadout((text) => void (label.current!.textContent = text));
  useLayoutEffect(() => {
    show = showText;
  });
  return createElement('span', { ref: label });
}

const page = document.body.appendChild(document.createElement('div'));
const root = createRoot(page);
beforeAll(() => {
  vi.useFakeTimers({ toFake: ['performance', 'requestAnimationFrame', 'cancelAnimationFrame'] });
  act(() => root.render(createElement(Readout)));
});
afterAll(() => {
  act(() => root.unmount());
  vi.useRealTimers();
});

test('a text that changes at every frame is shown ten times a second, and the last one stays', () => {
  const shown = new Set<string>();
  for (let frame = 0; frame < 60; frame++) {
    show(`${frame}`);
    shown.add(page.textContent);
    vi.advanceTimersToNextFrame();
  }
  expect(shown.size).toBeGreaterThanOrEqual(8);
  expect(shown.size).toBeLessThanOrEqual(10);
  expect(shown).toContain('0');
  vi.advanceTimersByTime(200);
  expect(page.textContent).toBe('59');
});

test('a text after a pause is shown at once', () => {
  vi.advanceTimersByTime(1_000);
  show('later');
  expect(page.textContent).toBe('later');
});
