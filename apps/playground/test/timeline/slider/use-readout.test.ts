// @vitest-environment happy-dom
import { createElement, createRef, useLayoutEffect } from 'react';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { useReadout } from '../../../src/timeline/slider/use-readout.ts';
import { openRoot } from '../../drawn.ts';

const label = createRef<HTMLSpanElement>();
let show: (text: string) => void;

function Readout() {
  const showText = useReadout((text) => void (label.current!.textContent = text));
  useLayoutEffect(() => {
    show = showText;
  });
  return createElement('span', { ref: label });
}

const { page, draw } = openRoot();
beforeAll(() => {
  vi.useFakeTimers({ toFake: ['performance', 'requestAnimationFrame', 'cancelAnimationFrame'] });
  draw(createElement(Readout));
});
afterAll(() => void vi.useRealTimers());

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
