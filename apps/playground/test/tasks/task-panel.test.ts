// @vitest-environment happy-dom
import type { TaskState } from '@cueline/core';
import type { TaskRun } from '@cueline/react';
import { act, createElement } from 'react';
import { expect, onTestFinished, test, vi } from 'vitest';
import { useInspection } from '../../src/state/inspection.ts';
import { FollowMoment } from '../../src/state/moment/followed-moment.tsx';
import { TaskPanel } from '../../src/tasks/task-panel.tsx';
import { enter, openRoot } from '../drawn.ts';

const { page, draw: drawPanel } = openRoot();

const run = { edit: async () => ({ accepted: true }) } as unknown as TaskRun;
const tasks = [{ id: 't1', title: 'Write', status: 'pending', origin: 'user' }] as unknown as TaskState[];
const panel = { run, tasks, clock: { now: () => 0 }, open: true };
const draw = (isPast: boolean, agent?: string): void =>
  drawPanel(createElement(TaskPanel, { ...panel, agent, isPast, inProgress: !isPast }));
const field = () => page.querySelector<HTMLInputElement>('[aria-label="New task"]');
const press = async (name: string): Promise<void> =>
  act(async () => page.querySelector<HTMLButtonElement>(`[aria-label="${name}"]`)!.click());

test('a task that is being written stays while the list is not drawn or an earlier moment is shown', async () => {
  draw(false);
  await press('Add a task');
  enter(field()!, 'Read');
  drawPanel(null);
  draw(false, 'agent');
  expect(field()).toBeNull();
  drawPanel(null);
  draw(false);
  expect(field()?.value).toBe('Read');
  draw(true);
  expect(field()!.form!.className.split(' ')).toContain('hidden');
  draw(false);
  expect(field()!.form!.className.split(' ')).not.toContain('hidden');
  expect(field()?.value).toBe('Read');
  await act(async () => field()!.form!.requestSubmit());
  // the field is there for the next task, until Esc
  expect(field()?.value).toBe('');
  expect(document.activeElement).toBe(field());
  act(() => void field()!.dispatchEvent(new KeyboardEvent('keydown', { key: 'Escape', bubbles: true })));
  expect(field()).toBeNull();
});

test.each([
  ['takes the focus to the list from the empty field', undefined, 'Tasks'],
  ['leaves the focus where the user is', 'elsewhere', 'elsewhere'],
])('the end of the run %s', async (_what, elsewhere, expected) => {
  draw(false);
  await press('Add a task');
  const other = document.body.appendChild(document.createElement('input'));
  other.value = 'elsewhere';
  if (elsewhere !== undefined) other.focus();
  drawPanel(createElement(TaskPanel, { ...panel, inProgress: false }));
  expect(field()).toBeNull();
  const focused = document.activeElement as HTMLInputElement;
  expect(focused.value || focused.textContent).toContain(expected);
  other.remove();
});

test('the list goes to a task that the user adds, also to one beyond those that are drawn', () => {
  const task = (id: number, origin: string) => ({
    id: `t${id}`,
    title: `Task ${id}`,
    status: 'pending',
    origin,
  });
  const many = Array.from({ length: 300 }, (_, id) => task(id, 'author'));
  const show = (list: readonly object[]): void =>
    drawPanel(createElement(TaskPanel, { ...panel, tasks: list as TaskState[], inProgress: true }));
  const places = vi.spyOn(HTMLElement.prototype, 'offsetTop', 'get').mockImplementation(function (
    this: HTMLElement,
  ) {
    return 28 * Number(this.dataset.task?.slice(1) ?? 0);
  });
  const list = () => page.querySelector<HTMLElement>('[aria-label="Task list"]')!;
  const shown = (id: number) => page.querySelector(`[data-task="t${id}"]`) !== null;
  show(many);
  expect([shown(0), shown(300), list().scrollTop]).toEqual([true, false, 0]);
  show([...many, task(300, 'user')]);
  expect([shown(300), list().scrollTop]).toEqual([true, 28 * 300]);
  // when the model completes a task, the list scrolls to the task that follows
  show([{ ...many[0], status: 'completed' }, ...many.slice(1), task(300, 'user')]);
  expect([shown(1), list().scrollTop]).toEqual([true, 28]);
  places.mockRestore();
});

test('at an earlier moment, a task in progress has taken the time until that moment', () => {
  const list = [{ ...tasks[0], origin: 'author' }] as TaskState[];
  // the last event was 500 ms after the start, and the user has chosen a time after it
  const moment = { ...panel, tasks: list, isPast: true, inProgress: false, begunAt: 400, until: 500 };
  const show = () => drawPanel(createElement(FollowMoment, null, createElement(TaskPanel, moment)));
  onTestFinished(() => act(() => useInspection.getState().reset()));
  useInspection.getState().goTo({ turn: 0, seq: 1 }, 1_800);
  show();
  expect(page.querySelector('[data-task=t1]')!.textContent).toContain('1.4 s');
  act(() => useInspection.getState().goTo({ turn: 0, seq: 1 }));
  expect(page.querySelector('[data-task=t1]')!.textContent).toContain('100 ms');
});
