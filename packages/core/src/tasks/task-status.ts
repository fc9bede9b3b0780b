import type { TaskItem } from './task-item.ts';

/** True for a task that is done: completed, or skipped. A failed task is not done. */
export function isTaskDone({ status }: Pick<TaskItem, 'status'>): boolean {
  return status === 'completed' || status === 'skipped';
}

/** Returns how many tasks of a list are done, of how many. */
export function taskProgress(tasks: readonly Pick<TaskItem, 'status'>[]): { done: number; total: number } {
  return { done: tasks.filter(isTaskDone).length, total: tasks.length };
}

/** Returns the task that the model works on, otherwise the first pending one. */
export function findCurrentTask<Task extends Pick<TaskItem, 'status'>>(
  tasks: readonly Task[],
): Task | undefined {
  return (
    tasks.find(({ status }) => status === 'in_progress' || status === 'validating') ??
    tasks.find(({ status }) => status === 'pending')
  );
}
