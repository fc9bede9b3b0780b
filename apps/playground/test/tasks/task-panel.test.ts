// @vitest-environment happy-dom
import type { TaskState } from '@cueline/core';
import type { TaskRun } from '@cueline/react';
import { act, createElement } from 'react';
import { createRoot } from 'react-dom/client';
import { afterAll, expect, test } from 'vitest';
import { TaskPanel } from '../../src/tasks/task-panel.tsx';

Object.assign(globalThis, { IS_REACT_ACT_ENVIRONMENT: true });

const page = document.body.appendChild(document.createElement('div'));
const root = createRoot(page);
afterAll(() => act(() => root.unmount()));

const run = { edit: async () => ({ accepted: true }) } as unknown as TaskRun;
const tasks = [{ id: 't1', title: 'Write', status: 'pending', origin: 'user' }] as unknown as TaskState[];
const draw = (isPast: boolean, agent?: string): void =>
  act(() =>
    root.render(
      createElement(TaskPanel, {
        run,
        tasks,
        agent,
        isPast,
        underWay: !isPast,
        clock: { now: () => 0 },
        open: true,
      }),
    ),
  );
const field = () => page.querySelector<HTMLInputElement>('[aria-label="New task"]');
const press = async (name: string): Promise<void> =>
  act(async () => page.querySelector<HTMLButtonElement>(`[aria-label="${name}"]`)!.click());

test('a task that is being written stays while the list is not drawn or an earlier moment is shown', async () => {
  draw(false);
  await press('Add a task');
  act(() => {
    Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value')!.set!.call(field(), 'Read');
    field()!.dispatchEvent(new Event('input', { bubbles: true }));
  });
  act(() => root.render(null));
  draw(false, 'agent');
  expect(field()).toBeNull();
  act(() => root.render(null));
  draw(false);
  expect(field()?.value).toBe('Read');
  draw(true);
  expect(field()!.form!.className.split(' ')).toContain('hidden');
  draw(false);
  expect(field()!.form!.className.split(' ')).not.toContain('hidden');
  expect(field()?.value).toBe('Read');
  await act(async () => field()!.form!.requestSubmit());
  expect(field()).toBeNull();
  await press('Add a task');
  expect(field()?.value).toBe('');
});
