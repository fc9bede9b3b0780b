// @vitest-environment happy-dom
import { act, createElement } from 'react';
import { createRoot } from 'react-dom/client';
import { afterAll, beforeEach, expect, test, vi } from 'vitest';
import { useRunKeys } from '../../src/layout/use-run-keys.ts';
import { usePlayground } from '../../src/state/store.ts';
import { TaskInput } from '../../src/tasks/task-input.tsx';

Object.assign(globalThis, { IS_REACT_ACT_ENVIRONMENT: true });

const stop = vi.fn();
const onClose = vi.fn();

function Page() {
  useRunKeys();
  const owner = { run: {}, id: 'new task' };
  const props = { owner, label: 'New task', title: '', action: 'Add', ended: false, onClose };
  return createElement(TaskInput, { ...props, onSave: async () => true });
}

const root = createRoot(document.body.appendChild(document.createElement('div')));
beforeEach(() => {
  vi.clearAllMocks();
  usePlayground.setState({ session: { run: { stop } } as never });
  act(() => root.render(createElement(Page)));
});
afterAll(() => {
  act(() => root.unmount());
  usePlayground.setState(usePlayground.getInitialState(), true);
});

/** Presses a key at an element, and returns the event after all have seen it. */
function press(target: Element, key: string, init: object = {}): KeyboardEvent {
  const event = new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true, ...init });
  act(() => void target.dispatchEvent(event));
  return event;
}

test.each(['dialog', 'alertdialog'])('Ctrl+Enter does not run what is behind an open %s', (role) => {
  const field = document.createElement('input');
  const dialog = document.body.appendChild(document.createElement('div'));
  dialog.setAttribute('role', role);
  dialog.append(field);
  // the repetition of a key starts nothing, but is taken like the key itself
  const runs = (): boolean => press(field, 'Enter', { ctrlKey: true, repeat: true }).defaultPrevented;
  dialog.dataset['state'] = 'open';
  expect(runs()).toBe(false);
  dialog.remove();
  document.body.append(field);
  expect(runs()).toBe(true);
  field.remove();
});

test.each([
  ['during a composition', { isComposing: true }],
  ['at its end in Safari', { keyCode: 229 }],
])('an Esc that cancels a composition stops no run: %s', (_when, init) => {
  press(document.body, 'Escape', init);
  expect(stop).not.toHaveBeenCalled();
  press(document.body, 'Escape');
  expect(stop).toHaveBeenCalledOnce();
});

test('an Esc that cancels a composition keeps the text of a task', () => {
  const field = document.querySelector('[aria-label="New task"]')!;
  press(field, 'Escape', { isComposing: true });
  expect(onClose).not.toHaveBeenCalled();
  expect(stop).not.toHaveBeenCalled();
  press(field, 'Escape');
  expect(onClose).toHaveBeenCalledOnce();
  expect(stop).not.toHaveBeenCalled();
});

test('Esc at the button of the new task leaves the form, and while it is held down stops no run', () => {
  press(document.querySelector('button')!, 'Escape');
  expect(onClose).toHaveBeenCalledOnce();
  press(document.body, 'Escape', { repeat: true });
  expect(stop).not.toHaveBeenCalled();
});
