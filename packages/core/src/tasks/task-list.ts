import { applyTaskEvent, type TaskEvent, type TaskItem } from './task.ts';
import { isTaskDone } from './task-status.ts';

/** A list of tasks at one moment. What happens to it is in its events, and nowhere else. */
export type TaskList = {
  /** `static`: the author wrote it, and it is done in order. `dynamic`: the model writes it, and picks. */
  readonly kind: 'static' | 'dynamic';
  readonly items: readonly TaskItem[];
  /** The number of the next task's id. It only grows, so that no id is used twice. */
  readonly nextNumber: number;
  /** How many results of one task may be refused before it has failed. */
  readonly maxAttempts: number;
};

/** The list after these events, in their order. */
export function applyEvents(list: TaskList, events: readonly TaskEvent[]): TaskList {
  let { items, nextNumber } = list;
  for (const event of events) {
    items = applyTaskEvent(items, event);
    if (event.type === 'task-add') nextNumber = Math.max(nextNumber, numberOf(event.task.id) + 1);
  }
  return { ...list, items, nextNumber };
}

/** True while a task still has to be finished. */
export function isOpen({ status }: TaskItem): boolean {
  return status === 'pending' || isUnderWay({ status });
}

/** True while a task is worked on, or its result is validated. */
export function isUnderWay({ status }: Pick<TaskItem, 'status'>): boolean {
  return status === 'in_progress' || status === 'validating';
}

/**
 * The task that is to be worked on. Static: the first open one, begun or not, and none while a task has failed.
 * Dynamic: the one that the model has started.
 */
export function currentTask(list: TaskList): TaskItem | undefined {
  if (list.kind === 'dynamic') return list.items.find(isUnderWay);
  return failedTask(list) === undefined ? list.items.find(isOpen) : undefined;
}

/** Every task that still has to be finished, in list order. */
export function openTasks(list: TaskList): readonly TaskItem[] {
  return list.items.filter(isOpen);
}

/** The task that has used up its attempts, and keeps a static list from going on. */
export function failedTask(list: TaskList): TaskItem | undefined {
  return list.items.find(({ status }) => status === 'failed');
}

/** True once there are tasks, and each of them is completed or skipped. */
export function isComplete(list: TaskList): boolean {
  return list.items.length > 0 && list.items.every(isTaskDone);
}

/** The task of this id. */
export function findTask(list: TaskList, taskId: string): TaskItem | undefined {
  return list.items.find(({ id }) => id === taskId);
}

function numberOf(taskId: string): number {
  return Number(/^task-(\d{1,15})$/.exec(taskId)?.[1] ?? 0);
}
