import { describe, expect, test } from 'vitest';
import type { Decision } from '../../src/tasks/decision.ts';
import {
  completeTask,
  createTask,
  deleteTask,
  describeTasks,
  startTaskById,
  updateTask,
} from '../../src/tasks/dynamic.ts';
import type { TaskList } from '../../src/tasks/task-list.ts';
import { dynamicList, edits, inStates, states, testActions, through, type Outcome } from './lists.ts';

const three = through(
  dynamicList(),
  (list) => createTask(list, 'Read'),
  (list) => createTask(list, 'Write'),
  (list) => createTask(list, 'Check'),
);

const actions: Readonly<Record<string, (list: TaskList) => Decision>> = {
  createTask: (list) => createTask(list, ' New '),
  updateTask: (list) => updateTask(list, 'task-2', 'New'),
  startTask: (list) => startTaskById(list, 'task-2'),
  completeTask: (list) => completeTask(list, 'task-2', '16'),
  deleteTask: (list) => deleteTask(list, 'task-2'),
  ...edits,
};

const table: Readonly<Record<string, readonly Outcome[]>> = {
  createTask: [
    ['pending in_progress completed skipped', 'add task-4 "New" at 3 by model', 'Created task-4: New'],
  ],
  updateTask: [
    ['pending', 'task-2 title="New" by model', 'Updated task-2: New'],
    ['in_progress', 'task-2 is in progress and cannot be updated. Tasks that can be updated: task-3.'],
    ['completed', 'task-2 is completed and cannot be updated. Tasks that can be updated: task-3.'],
    ['skipped', 'task-2 was skipped and cannot be updated. Tasks that can be updated: task-3.'],
  ],
  startTask: [
    [
      'pending',
      'task-2 in_progress by model',
      'task-2 started: Write\n\nCall completeTask with the result when it is done.',
    ],
    ['in_progress', 'task-2 is in progress and cannot be started. Tasks that can be started: task-3.'],
    ['completed', 'task-2 is completed and cannot be started. Tasks that can be started: task-3.'],
    ['skipped', 'task-2 was skipped and cannot be started. Tasks that can be started: task-3.'],
  ],
  completeTask: [
    [
      'pending in_progress',
      'task-2 completed result="16" by model',
      '✓ Task completed: task-2\n\nStill open: task-3.',
    ],
    ['completed', 'task-2 is completed already. Tasks that can be completed: task-3.'],
    ['skipped', 'task-2 was skipped and cannot be completed. Tasks that can be completed: task-3.'],
  ],
  deleteTask: [
    ['pending', 'remove task-2 by model', 'Deleted task-2: Write'],
    ['in_progress', 'task-2 is in progress and cannot be deleted. Tasks that can be deleted: task-3.'],
    ['completed', 'task-2 is completed and cannot be deleted. Tasks that can be deleted: task-3.'],
    ['skipped', 'task-2 was skipped and cannot be deleted. Tasks that can be deleted: task-3.'],
  ],
  rename: [
    ['pending in_progress', 'task-2 title="New" by user', 'The user renamed task-2 “Write” to “New”.'],
    ['completed', 'task-2 is completed and cannot be renamed. It can be retried.'],
    ['skipped', 'task-2 was skipped and cannot be renamed. It can be retried.'],
  ],
  remove: [
    ['pending', 'remove task-2 by user', 'The user removed task-2 “Write”.'],
    ['in_progress', 'task-2 is in progress and cannot be removed. It can be renamed, skipped or resolved.'],
    ['completed', 'task-2 is completed and cannot be removed. It can be retried.'],
    ['skipped', 'task-2 was skipped and cannot be removed. It can be retried.'],
  ],
  move: [
    ['pending', 'move task-2 to 2 by user', 'The user moved task-2 “Write” after task-3.'],
    ['in_progress', 'task-2 is in progress and cannot be moved. It can be renamed, skipped or resolved.'],
    ['completed', 'task-2 is completed and cannot be moved. It can be retried.'],
    ['skipped', 'task-2 was skipped and cannot be moved. It can be retried.'],
  ],
  skip: [
    ['pending in_progress', 'task-2 skipped error="Later" by user', 'The user skipped task-2 “Write”: Later'],
    ['completed', 'task-2 is completed and cannot be skipped. It can be retried.'],
    ['skipped', 'task-2 was skipped already. It can be retried.'],
  ],
  retry: [
    [
      'pending',
      'task-2 is pending and cannot be retried. It can be renamed, removed, moved, skipped or resolved.',
    ],
    ['in_progress', 'task-2 is in progress and cannot be retried. It can be renamed, skipped or resolved.'],
    [
      'completed skipped',
      'task-2 pending attempts=0 result=null error=null by user',
      'The user wants task-2 “Write” to be done again.',
    ],
  ],
  resolve: [
    [
      'pending in_progress',
      'task-2 completed result="16" error=null by user',
      'The user completed task-2 “Write” with the result: 16',
    ],
    ['completed', 'task-2 is completed and cannot be resolved. It can be retried.'],
    ['skipped', 'task-2 was skipped and cannot be resolved. It can be retried.'],
  ],
  addLast: [
    [
      'pending in_progress completed skipped',
      'add task-4 "New" at 3 by user',
      'The user added task-4 “New” after task-3.',
    ],
  ],
  addBefore: [
    [
      'pending in_progress completed skipped',
      'add task-4 "New" at 1 by user',
      'The user added task-4 “New” after task-1.',
    ],
  ],
};

// no result is validated here, and so none fails
testActions('dynamic', three, ['pending', 'in_progress', 'completed', 'skipped'], actions, table);

describe('a dynamic list', () => {
  test('continues its ids after a task is deleted', () => {
    const list = through(
      three,
      (list) => deleteTask(list, 'task-3'),
      (list) => createTask(list, 'Print'),
    );
    expect(states(list)).toBe('task-1 pending, task-2 pending, task-4 pending');
  });

  test('has one task in progress at a time', () => {
    const decision = startTaskById(startTaskById(three, 'task-1').list, 'task-2');
    expect([decision.accepted, decision.reply]).toEqual([
      false,
      'task-2 cannot start while task-1 is in progress. Finish task-1 with completeTask first.',
    ]);
  });

  test('ends when its last task is completed', () => {
    const list = inStates(three, ['completed', 'skipped', 'pending']);
    expect(completeTask(list, 'task-3', 'Fine').reply).toBe(
      '✓ Task completed: task-3\n\nAll tasks are completed. Give your final answer.',
    );
  });

  test.each([
    ['createTask', createTask(three, ' \n'), 'The description is empty. Say what is to be done.'],
    ['updateTask', updateTask(three, 'task-1', ''), 'The new description is empty. Say what is to be done.'],
    ['completeTask', completeTask(three, 'task-1', ' '), 'The result is empty. Say what came of the task.'],
  ])('refuses %s with an empty text', (_name, { accepted, reply }, expected) => {
    expect([accepted, reply]).toEqual([false, expected]);
  });

  test.each([
    ['updateTask', updateTask(three, 'task-9', 'New')],
    ['startTask', startTaskById(three, 'task-9')],
    ['completeTask', completeTask(three, 'task-9', 'Done')],
    ['deleteTask', deleteTask(three, 'task-9')],
  ])('lists the known ids for %s with an unknown id', (_name, { accepted, list, reply }) => {
    expect([accepted, reply]).toEqual([
      false,
      'There is no task “task-9”. The list has: task-1, task-2, task-3.',
    ]);
    expect(list).toBe(three);
  });

  test('refuses an id in an empty list, and an invalid id', () => {
    expect(startTaskById(dynamicList(), 'task-1').reply).toBe(
      'There is no task “task-1”. The list is empty.',
    );
    expect(deleteTask(three, `${'x'.repeat(500)}\n`).reply).toBe(
      `There is no task “${'x'.repeat(100)}…”. The list has: task-1, task-2, task-3.`,
    );
    expect(deleteTask(three, '__proto__').accepted).toBe(false);
  });

  test('returns every task with its status and its whole result from getTaskList', () => {
    expect(describeTasks(dynamicList())).toBe('The task list is empty. Create a task with createTask.');
    const list = through(
      inStates(three, ['pending', 'in_progress', 'skipped']),
      (list) => updateTask(list, 'task-1', 'Read\nevery line'),
      (list) => completeTask(list, 'task-1', `One.\n\ntask-2 [completed] ${'x'.repeat(600)}`),
      (list) => createTask(list, 'Print'),
    );
    expect(describeTasks(list)).toBe(
      [
        'task-1 [completed] Read every line → One.',
        `   task-2 [completed] ${'x'.repeat(600)}`,
        'task-2 [in_progress] Write',
        'task-3 [skipped] Check (Not needed)',
        'task-4 [pending] Print',
      ].join('\n'),
    );
  });
});
