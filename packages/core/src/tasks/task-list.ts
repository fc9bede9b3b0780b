import type { TaskEvent, TaskItem } from './task-item.ts';
import { isTaskDone } from './task-status.ts';
import { applyTaskEvent } from './task.ts';

/** A task list at one moment. Only its events change it. */
export type TaskList = {
  /**
   * `static`: the author has written it, and it is worked on in order. `dynamic`: the model writes it and picks
   * tasks.
   */
  readonly kind: 'static' | 'dynamic';
  readonly items: readonly TaskItem[];
  /** The number of the next task's id. It only grows, so that no id is used twice. */
  readonly nextNumber: number;
  /** How many results of one task may be refused before the task fails. */
  readonly maxAttempts: number;
};

/** Returns the list after these events. */
export function applyEvents(list: TaskList, events: readonly TaskEvent[]): TaskList {
  let { items, nextNumber } = list;
  for (const event of events) {
    items = applyTaskEvent(items, event);
    if (event.type === 'task-add') nextNumber = Math.max(nextNumber, numberOf(event.task.id) + 1);
  }
  return { ...list, items, nextNumber };
}

/** True for a task that still has to be finished. */
export function isOpen({ status }: TaskItem): boolean {
  return status === 'pending' || isInProgress({ status });
}

/** True for a task in progress or in validation. */
export function isInProgress({ status }: Pick<TaskItem, 'status'>): boolean {
  return status === 'in_progress' || status === 'validating';
}

/**
 * Returns the current task. In a static list: the first open one, begun or not, and none if a task has failed. In a
 * dynamic list: the one that the model has started.
 */
export function currentTask(list: TaskList): TaskItem | undefined {
  if (list.kind === 'dynamic') return list.items.find(isInProgress);
  return failedTask(list) === undefined ? list.items.find(isOpen) : undefined;
}

/** Returns every task that still has to be finished, in order. */
export function openTasks(list: TaskList): readonly TaskItem[] {
  return list.items.filter(isOpen);
}

/** Returns the task that has used up its attempts, which blocks a static list. */
export function failedTask(list: TaskList): TaskItem | undefined {
  return list.items.find(({ status }) => status === 'failed');
}

/** True if there are tasks and all of them are done. */
export function isComplete(list: TaskList): boolean {
  return list.items.length > 0 && list.items.every(isTaskDone);
}

/** Returns the task with this id. */
export function findTask(list: TaskList, taskId: string): TaskItem | undefined {
  return list.items.find(({ id }) => id === taskId);
}

function numberOf(taskId: string): number {
  return Number(/^task-(\d{1,15})$/.exec(taskId)?.[1] ?? 0);
}
