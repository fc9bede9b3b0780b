import type { TaskEvent, TaskItem, TaskOrigin } from './task.ts';
import { applyEvents, type TaskList } from './task-list.ts';

/** What an action on a list amounts to. Where it was not accepted, there are no events and the list is the same. */
export type Decision = {
  accepted: boolean;
  /** To be written down; `list` has them already. */
  events: readonly TaskEvent[];
  /** The list after the action. */
  list: TaskList;
  /** What to tell whoever acted: the model's tool result, or why a user's edit was refused. May be empty. */
  reply: string;
};

type Change = Omit<Extract<TaskEvent, { type: 'task-update' }>, 'type' | 'taskId' | 'by'>;

/** A decision that writes these events down. */
export function accept(list: TaskList, events: readonly TaskEvent[], reply: string): Decision {
  return { accepted: true, events, list: applyEvents(list, events), reply };
}

/** A decision that leaves the list as it is. */
export function refuse(list: TaskList, reply: string): Decision {
  return { accepted: false, events: [], list, reply };
}

/** The event that changes this of a task. */
export function update(task: TaskItem, by: TaskOrigin, change: Change): TaskEvent {
  return { type: 'task-update', taskId: task.id, by, ...change };
}

/** The event that puts a new task on a list. */
export function add(list: TaskList, title: string, origin: TaskOrigin, index: number): TaskEvent {
  return { type: 'task-add', task: { id: `task-${list.nextNumber}`, title, origin }, index };
}
