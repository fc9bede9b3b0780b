import { describe, expect, test } from 'vitest';
import { finishTask, settleTask, startTask, touchTask } from '../../src/tasks/author-list.ts';
import type { Decision } from '../../src/tasks/decision.ts';
import { currentTask, isComplete, type TaskList } from '../../src/tasks/task-list.ts';
import { edits, inStates, states, staticList, testActions, through, type Outcome } from './lists.ts';

const actions: Readonly<Record<string, (list: TaskList) => Decision>> = {
  startTask,
  touchTask,
  finishTask: (list) => finishTask(list, '16'),
  approve: (list) => settleTask(list, 'task-2', undefined),
  refuse: (list) => settleTask(list, 'task-2', 'Expected 16'),
  ...edits,
};

const table: Readonly<Record<string, readonly Outcome[]>> = {
  startTask: [
    [
      'pending',
      'task-2 in_progress by model',
      'Task 2/3 started: Multiply by 2\n\nCall finishTask with the result when it is done.',
    ],
    [
      'in_progress',
      'Task 2/3 is already started: Multiply by 2\n\nCall finishTask with the result when it is done.',
    ],
    ['validating', 'The result of Task 2/3 is being validated. Wait for what comes of it.'],
    [
      'completed skipped',
      'task-3 in_progress by model',
      'Task 3/3 started: Subtract 6\n\nCall finishTask with the result when it is done.',
    ],
    ['failed', 'Task 2/3 failed after 5 attempts: “Multiply by 2”. The task list cannot continue.'],
  ],
  touchTask: [
    ['pending', 'task-2 in_progress by model', ''],
    ['in_progress validating failed', ''],
    ['completed skipped', 'task-3 in_progress by model', ''],
  ],
  finishTask: [
    ['pending', 'task-2 in_progress by model; task-2 validating result="16" by model', ''],
    ['in_progress', 'task-2 validating result="16" by model', ''],
    ['validating', 'The result of Task 2/3 is being validated. Wait for what comes of it.'],
    ['completed skipped', 'task-3 in_progress by model; task-3 validating result="16" by model', ''],
    ['failed', 'Task 2/3 failed after 5 attempts: “Multiply by 2”. The task list cannot continue.'],
  ],
  approve: [
    ['pending', 'The result was not used, because “Multiply by 2” is pending.'],
    ['in_progress', 'The result was not used, because “Multiply by 2” is in progress.'],
    [
      'validating',
      'task-2 completed error=null by author',
      '✓ Task completed successfully!\n\nNext task: Subtract 6',
    ],
    ['completed', 'The result was not used, because “Multiply by 2” is completed.'],
    ['failed', 'The result was not used, because “Multiply by 2” has failed.'],
    ['skipped', 'The result was not used, because “Multiply by 2” was skipped.'],
  ],
  refuse: [
    ['pending', 'The result was not used, because “Multiply by 2” is pending.'],
    ['in_progress', 'The result was not used, because “Multiply by 2” is in progress.'],
    [
      'validating',
      'task-2 in_progress attempts=1 result=null error="Expected 16" by author',
      'Validation failed: Expected 16\n\nPlease review the task and provide a corrected result.',
    ],
    ['completed', 'The result was not used, because “Multiply by 2” is completed.'],
    ['failed', 'The result was not used, because “Multiply by 2” has failed.'],
    ['skipped', 'The result was not used, because “Multiply by 2” was skipped.'],
  ],
  rename: [
    [
      'pending in_progress',
      'task-2 title="New" by user',
      'The user renamed task-2 “Multiply by 2” to “New”.',
    ],
    [
      'validating',
      'task-2 is being validated and cannot be renamed. Wait until that is over. It can be skipped or resolved.',
    ],
    ['completed', 'task-2 is completed and cannot be renamed. It can be retried.'],
    ['failed', 'task-2 has failed and cannot be renamed. It can be skipped, retried or resolved.'],
    ['skipped', 'task-2 was skipped and cannot be renamed. It can be retried.'],
  ],
  remove: [
    ['pending', 'remove task-2 by user', 'The user removed task-2 “Multiply by 2”.'],
    ['in_progress', 'task-2 is in progress and cannot be removed. It can be renamed, skipped or resolved.'],
    [
      'validating',
      'task-2 is being validated and cannot be removed. Wait until that is over. It can be skipped or resolved.',
    ],
    ['completed', 'task-2 is completed and cannot be removed. It can be retried.'],
    ['failed', 'task-2 has failed and cannot be removed. It can be skipped, retried or resolved.'],
    ['skipped', 'task-2 was skipped and cannot be removed. It can be retried.'],
  ],
  move: [
    ['pending', 'move task-2 to 2 by user', 'The user moved task-2 “Multiply by 2” after task-3.'],
    ['in_progress', 'task-2 is in progress and cannot be moved. It can be renamed, skipped or resolved.'],
    [
      'validating',
      'task-2 is being validated and cannot be moved. Wait until that is over. It can be skipped or resolved.',
    ],
    ['completed', 'task-2 is completed and cannot be moved. It can be retried.'],
    ['failed', 'task-2 has failed and cannot be moved. It can be skipped, retried or resolved.'],
    ['skipped', 'task-2 was skipped and cannot be moved. It can be retried.'],
  ],
  skip: [
    [
      'pending in_progress failed',
      'task-2 skipped error="Later" by user',
      'The user skipped task-2 “Multiply by 2”: Later',
    ],
    [
      'validating',
      'task-2 skipped error="Later" result=null by user',
      'The user skipped task-2 “Multiply by 2”: Later',
    ],
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
      'validating',
      'task-2 is being validated and cannot be retried. Wait until that is over. It can be skipped or resolved.',
    ],
    [
      'completed failed skipped',
      'task-2 pending attempts=0 result=null error=null by user',
      'The user wants task-2 “Multiply by 2” to be done again.',
    ],
  ],
  resolve: [
    [
      'pending in_progress validating failed',
      'task-2 completed result="16" error=null by user',
      'The user completed task-2 “Multiply by 2” with the result: 16',
    ],
    ['completed', 'task-2 is completed and cannot be resolved. It can be retried.'],
    ['skipped', 'task-2 was skipped and cannot be resolved. It can be retried.'],
  ],
  addLast: [
    [
      'pending in_progress validating completed failed skipped',
      'add task-4 "New" at 3 by user',
      'The user added task-4 “New” after task-3.',
    ],
  ],
  addBefore: [
    ['pending', 'add task-4 "New" at 1 by user', 'The user added task-4 “New” after task-1.'],
    [
      'in_progress validating completed failed skipped',
      'Index 1 is before a task that is finished or in progress. The index can be 2 to 3.',
    ],
  ],
};

testActions(
  'static',
  staticList(),
  ['pending', 'in_progress', 'validating', 'completed', 'failed', 'skipped'],
  actions,
  table,
);

describe('a static list', () => {
  const finished = inStates(staticList(), ['completed', 'skipped', 'completed']);

  test('makes its first task current at once', () => {
    expect(currentTask(staticList())).toEqual({
      id: 'task-1',
      title: 'Add 5 and 3',
      origin: 'author',
      status: 'pending',
      attempts: 0,
    });
  });

  test('is done in order, and completes with its last task', () => {
    let list = staticList();
    const replies: string[] = [];
    for (const result of ['8', '16', '10']) {
      const finishing = finishTask(touchTask(list).list, result);
      const settled = settleTask(finishing.list, finishing.validate!, undefined);
      replies.push(settled.reply);
      list = settled.list;
    }
    expect(replies).toEqual([
      '✓ Task completed successfully!\n\nNext task: Multiply by 2',
      '✓ Task completed successfully!\n\nNext task: Subtract 6',
      '✓ All tasks completed successfully! The task list is complete.',
    ]);
    expect(list.items.map(({ result }) => result)).toEqual(['8', '16', '10']);
    expect(isComplete(list)).toBe(true);
  });

  test('clears the feedback when a result is accepted', () => {
    const list = through(
      staticList(['Sum']),
      (list) => finishTask(list, '7'),
      (list) => settleTask(list, 'task-1', 'Expected 8'),
      (list) => finishTask(list, '8'),
      (list) => settleTask(list, 'task-1', undefined),
    );
    expect(list.items).toEqual([
      { id: 'task-1', title: 'Sum', origin: 'author', status: 'completed', attempts: 1, result: '8' },
    ]);
  });

  test('repeats the feedback when a task begins again', () => {
    const refused = through(
      staticList(),
      (list) => finishTask(list, '7'),
      (list) => settleTask(list, 'task-1', 'Expected 8'),
    );
    expect(startTask(refused).reply).toBe(
      'Task 1/3 is already started: Add 5 and 3\n\nYour last result was not accepted: Expected 8\n\nCall finishTask with the result when it is done.',
    );
  });

  test('refuses a second result while the first is validated', () => {
    const { list, validate } = finishTask(staticList(), '8');
    expect(validate).toBe('task-1');
    const second = finishTask(list, '9');
    expect([second.accepted, second.validate, second.list]).toEqual([false, undefined, list]);
    expect(second.reply).toBe('The result of Task 1/3 is being validated. Wait for what comes of it.');
  });

  test('treats empty feedback as feedback', () => {
    const settled = settleTask(finishTask(staticList(), '7').list, 'task-1', ' ');
    expect(settled.reply).toBe(
      'Validation failed: No reason was given.\n\nPlease review the task and provide a corrected result.',
    );
    expect(settled.list.items[0]).toMatchObject({ attempts: 1, error: 'No reason was given.' });
  });

  test('fails a task after the allowed number of refused results, and stops', () => {
    let list = staticList(['Sum', 'Product'], 2);
    const replies: string[] = [];
    for (const result of ['6', '7']) {
      const settled = settleTask(finishTask(list, result).list, 'task-1', `Not ${result}`);
      replies.push(settled.reply);
      list = settled.list;
    }
    const stuck = 'Task 1/2 failed after 2 attempts: “Sum”. The task list cannot continue.';
    expect(replies).toEqual([
      'Validation failed: Not 6\n\nPlease review the task and provide a corrected result.',
      `Validation failed: Not 7\n\n${stuck}`,
    ]);
    expect([startTask(list).reply, finishTask(list, '8').reply]).toEqual([stuck, stuck]);
    expect([currentTask(list), isComplete(list)]).toEqual([undefined, false]);
    expect(states(list)).toBe('task-1 failed, task-2 pending');
  });

  test('allows exactly one attempt with maxAttempts 1', () => {
    const settled = settleTask(finishTask(staticList(['Sum'], 1), '7').list, 'task-1', 'No');
    expect(settled.reply).toContain('Task 1/1 failed after 1 attempt: “Sum”.');
  });

  test.each([
    ['startTask', startTask(finished)],
    ['finishTask', finishTask(finished, '16')],
  ])('ignores %s after the end, and says so', (_name, { accepted, events, list, reply }) => {
    expect({ accepted, events, reply }).toEqual({
      accepted: false,
      events: [],
      reply: 'All tasks are completed. Give your final answer.',
    });
    expect(list).toBe(finished);
  });

  test('ignores the result of a removed task', () => {
    expect(settleTask(staticList(), 'task-9', undefined)).toMatchObject({
      accepted: false,
      reply: 'The task was taken off the list. Its result was not used.',
    });
  });
});
