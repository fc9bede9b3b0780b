import type { TaskEvent, TaskItem, TaskStatus } from '@cueline/core';
import { describe, expect, test } from 'vitest';
import { createTaskList } from '../../src/tasks/create-task-list.ts';
import type { Decision } from '../../src/tasks/decision.ts';
import { editTasks } from '../../src/tasks/edits.ts';
import { applyEvents, type TaskList } from '../../src/tasks/task-list.ts';

/** The author's list of the seed's three sums, or of these titles. */
export function staticList(
  titles: readonly string[] = ['Add 5 and 3', 'Multiply by 2', 'Subtract 6'],
  maxAttempts = 5,
): TaskList {
  return createTaskList({ kind: 'static', titles, maxAttempts }).list;
}

/** A list of the model's own, with nothing on it. */
export function dynamicList(): TaskList {
  return createTaskList({ kind: 'dynamic', titles: [], maxAttempts: 5 }).list;
}

/** The list with its tasks brought into these states, whatever led to them. */
export function inStates(list: TaskList, statuses: readonly TaskStatus[]): TaskList {
  return applyEvents(
    list,
    statuses.flatMap((status, index): TaskEvent[] => {
      const task = list.items[index]!;
      const facts = {
        pending: {},
        in_progress: {},
        validating: { result: `result ${index + 1}` },
        completed: { result: `result ${index + 1}` },
        failed: { attempts: list.maxAttempts, error: 'Wrong again' },
        skipped: { error: 'Not needed' },
      }[status];
      return [{ type: 'task-update', taskId: task.id, by: 'model', status, ...facts }];
    }),
  );
}

/** One decision after the other. */
export function through(list: TaskList, ...actions: ((list: TaskList) => Decision)[]): TaskList {
  return actions.reduce((before, act) => act(before).list, list);
}

/** What was decided, at a glance: `task-2 in_progress by model; task-2 validating result="16" by model`. */
export function written({ events }: Decision): string {
  return events.map(writeEvent).join('; ');
}

/** How the tasks stand, at a glance: `task-1 completed, task-2 pending`. */
export function states({ items }: { items: readonly TaskItem[] }): string {
  return items.map(({ id, status }) => `${id} ${status}`).join(', ');
}

function writeEvent(event: TaskEvent): string {
  switch (event.type) {
    case 'task-add':
      return `add ${event.task.id} ${JSON.stringify(event.task.title)} at ${event.index} by ${event.task.origin}`;
    case 'task-remove':
      return `remove ${event.taskId} by ${event.by}`;
    case 'task-move':
      return `move ${event.taskId} to ${event.index} by ${event.by}`;
    case 'task-update': {
      const { type: _type, taskId, by, status, ...rest } = event;
      const facts = Object.entries(rest).map(([key, value]) => `${key}=${JSON.stringify(value)}`);
      return [taskId, ...(status === undefined ? [] : [status]), ...facts, `by ${by}`].join(' ');
    }
  }
}

/** Every edit that a user can make to task-2, and two new tasks: at the end, and in its place. */
export const edits: Readonly<Record<string, (list: TaskList) => Decision>> = {
  rename: (list) => editTasks(list, { type: 'rename', taskId: 'task-2', title: 'New' }),
  remove: (list) => editTasks(list, { type: 'remove', taskId: 'task-2' }),
  move: (list) => editTasks(list, { type: 'move', taskId: 'task-2', index: 2 }),
  skip: (list) => editTasks(list, { type: 'skip', taskId: 'task-2', reason: 'Later' }),
  retry: (list) => editTasks(list, { type: 'retry', taskId: 'task-2' }),
  resolve: (list) => editTasks(list, { type: 'resolve', taskId: 'task-2', result: '16' }),
  addLast: (list) => editTasks(list, { type: 'add', title: 'New' }),
  addBefore: (list) => editTasks(list, { type: 'add', title: 'New', index: 1 }),
};

/**
 * What an action writes down and answers for a task in these states; or only what it answers, where it does nothing.
 */
export type Outcome =
  | readonly [statuses: string, events: string, reply: string]
  | readonly [statuses: string, reply: string];

/**
 * Tries every action. Of three tasks the first is completed, the second is as the row says, and the third is pending.
 */
export function testActions(
  kind: TaskList['kind'],
  three: TaskList,
  statuses: readonly TaskStatus[],
  actions: Readonly<Record<string, (list: TaskList) => Decision>>,
  table: Readonly<Record<string, readonly Outcome[]>>,
): void {
  describe(`every action on a ${kind} list, for every state of the task`, () => {
    test.each(Object.entries(actions))('%s', (name, act) => {
      const rows = (table[name] ?? []).flatMap(([each, ...outcome]) =>
        each.split(' ').map((status) => ({ status, outcome })),
      );
      expect(rows.map(({ status }) => status).toSorted()).toEqual(statuses.toSorted());
      for (const { status, outcome } of rows) {
        const list = inStates(three, ['completed', status as TaskStatus]);
        const decision = act(list);
        const [events, reply] = outcome.length === 2 ? outcome : ['', outcome[0]];
        expect([status, written(decision), decision.reply]).toEqual([status, events, reply]);
        expect(decision.accepted).toBe(outcome.length === 2);
        expect(decision.list).toEqual(applyEvents(list, decision.events));
        if (!decision.accepted) expect(decision.list).toBe(list);
      }
    });
  });
}
