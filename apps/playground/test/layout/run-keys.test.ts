// @vitest-environment happy-dom
import { act, createElement } from 'react';
import { afterAll, beforeEach, expect, test, vi } from 'vitest';
import { useRunKeys } from '../../src/layout/use-run-keys.ts';
import { usePlayground } from '../../src/state/store.ts';
import { TaskInput } from '../../src/tasks/task-input.tsx';
import { openRoot } from '../drawn.ts';

const stop = vi.fn();
const onClose = vi.fn();

function Page() {
  useRunKeys();
  const owner = { run: {}, id: 'new task' };
  const props = { owner, label: 'New task', title: '', action: 'Add', ended: false, onClose };
  return createElement(TaskInput, { ...props, onSave: async () => true });
}

const { draw } = openRoot();
beforeEach(() => {
  vi.clearAllMocks();
  usePlayground.setState({ session: { run: { stop } } as never });
  draw(createElement(Page));
});
afterAll(() => usePlayground.setState(usePlayground.getInitialState(), true));

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

test.each(['input', 'textarea', 'select'])('Esc in a field leaves it, and then stops the run: %s', (kind) => {
  const field = document.body.appendChild(document.createElement(kind));
  field.focus();
  press(field, 'Escape');
  expect(document.activeElement).toBe(document.body);
  expect(stop).not.toHaveBeenCalled();
  press(document.body, 'Escape');
  expect(stop).toHaveBeenCalledOnce();
  field.remove();
});

test.each([
  ['of the editor', '<div class="monaco-editor"><textarea></textarea></div>'],
  ['that waits for the end of the run', '<textarea readonly></textarea>'],
  ['for the moment that is shown', '<input type="range">'],
])('Esc in a field %s stops the run', (_which, html) => {
  const parent = document.body.appendChild(document.createElement('div'));
  parent.innerHTML = html;
  press(parent.querySelector('textarea, input')!, 'Escape');
  expect(stop).toHaveBeenCalledOnce();
  parent.remove();
});

test('Esc in a search with a text leaves the text to the browser, which clears it', () => {
  const search = document.body.appendChild(document.createElement('input'));
  Object.assign(search, { type: 'search', value: 'cat' }).focus();
  press(search, 'Escape');
  expect(document.activeElement).toBe(search);
  expect(stop).not.toHaveBeenCalled();
  search.remove();
});
