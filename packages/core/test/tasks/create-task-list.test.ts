import { expect, test } from 'vitest';
import { createTaskList } from '../../src/tasks/create-task-list.ts';
import { applyEvents } from '../../src/tasks/task-list.ts';
import { written } from './lists.ts';

test('a list is the reduction of its events', () => {
  const decision = createTaskList({ kind: 'static', titles: ['Add', ' Multiply\n'], maxAttempts: 3 });
  expect([decision.accepted, written(decision), decision.reply]).toEqual([
    true,
    'add task-1 "Add" at 0 by author; add task-2 "Multiply" at 1 by author',
    '',
  ]);
  const empty = { kind: 'static', items: [], nextNumber: 1, maxAttempts: 3 } as const;
  expect(decision.list).toEqual(applyEvents(empty, decision.events));
  expect(decision.list).toEqual({
    kind: 'static',
    items: [
      { id: 'task-1', title: 'Add', origin: 'author', status: 'pending', attempts: 0 },
      { id: 'task-2', title: 'Multiply', origin: 'author', status: 'pending', attempts: 0 },
    ],
    nextNumber: 3,
    maxAttempts: 3,
  });
});

test('a dynamic list may begin empty', () => {
  const { accepted, list } = createTaskList({ kind: 'dynamic', titles: [], maxAttempts: 5 });
  expect([accepted, list.items, list.nextNumber]).toEqual([true, [], 1]);
});

test.each([
  [{ titles: [] }, 'The task list is empty. Give it at least one task.'],
  [{ titles: ['Add', ' '] }, 'Task 2 has no text. Say what is to be done.'],
  [{ maxAttempts: 0 }, 'maxAttempts is 0. Give a whole number of at least 1.'],
  [{ maxAttempts: 1.5 }, 'maxAttempts is 1.5. Give a whole number of at least 1.'],
])('%j is refused', (settings, reply) => {
  const decision = createTaskList({ kind: 'static', titles: ['Add'], maxAttempts: 5, ...settings });
  expect([decision.accepted, decision.events, decision.list.items, decision.reply]).toEqual([
    false,
    [],
    [],
    reply,
  ]);
});
