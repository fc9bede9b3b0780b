// @vitest-environment happy-dom
import { act, createElement } from 'react';
import { beforeEach, expect, test, vi } from 'vitest';
import { RunButton } from '../../src/layout/run-button.tsx';
import { usePlayground } from '../../src/state/store.ts';
import { openRoot } from '../drawn.ts';

const actions = vi.hoisted(() => ({ startOpenView: vi.fn(), stopOpenView: vi.fn() }));
vi.mock('../../src/layout/start-and-stop.ts', () => actions);

const { page, draw } = openRoot();
beforeEach(() => {
  vi.clearAllMocks();
  act(() => void usePlayground.setState(usePlayground.getInitialState(), true));
  draw(createElement(RunButton));
});

const button = (): HTMLButtonElement => page.querySelector('button')!;
const click = (detail: number): void =>
  act(() => void button().dispatchEvent(new MouseEvent('click', { bubbles: true, detail })));
const runs = (): void =>
  act(() => {
    const run = { listen: () => () => {}, log: () => [] };
    usePlayground.setState({ session: { source: { script: '' }, run } as never });
  });

test('a double click on Run starts the run and does not stop it', () => {
  click(1);
  expect(actions.startOpenView).toHaveBeenCalledOnce();
  runs();
  expect(button().textContent).toContain('Stop');
  click(2);
  expect(actions.stopOpenView).not.toHaveBeenCalled();
  click(1);
  expect(actions.stopOpenView).toHaveBeenCalledOnce();
});

test.each(['Enter', ' '])('a held key %j presses the button once', (key) => {
  const press = (repeat: boolean): boolean => {
    const event = new KeyboardEvent('keydown', { key, repeat, bubbles: true, cancelable: true });
    act(() => void button().dispatchEvent(event));
    return event.defaultPrevented;
  };
  expect(press(false)).toBe(false);
  expect(press(true)).toBe(true);
  runs();
  expect(press(true)).toBe(true);
});
