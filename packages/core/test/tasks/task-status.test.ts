import { findCurrentTask, isTaskDone, taskProgress, type TaskStatus } from '@cueline/core';
import { expect, test } from 'vitest';

const tasks = (...statuses: TaskStatus[]) =>
  statuses.map((status, index) => ({ id: `task-${index}`, status }));

test.each<[TaskStatus, boolean]>([
  ['pending', false],
  ['in_progress', false],
  ['validating', false],
  ['completed', true],
  ['failed', false],
  ['skipped', true],
])('a task that is %s is done: %s', (status, isDone) => {
  expect(isTaskDone({ status })).toBe(isDone);
  expect(taskProgress(tasks(status, 'completed'))).toEqual({ done: isDone ? 2 : 1, total: 2 });
});

test.each<[TaskStatus[], string | undefined]>([
  [['completed', 'pending', 'in_progress'], 'task-2'],
  [['completed', 'pending', 'validating'], 'task-2'],
  [['completed', 'pending', 'pending'], 'task-1'],
  [['failed', 'completed', 'skipped'], undefined],
  [[], undefined],
])('of tasks that are %j, the current one is %s', (statuses, id) => {
  expect(findCurrentTask(tasks(...statuses))?.id).toBe(id);
});
