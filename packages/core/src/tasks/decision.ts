import type { TaskEvent, TaskItem, TaskOrigin } from './task-item.ts';
import { applyEvents, type TaskList } from './task-list.ts';

/** The outcome of an action on a list. A refused action has no events and does not change the list. */
export type Decision = {
  accepted: boolean;
  /** The events to append. `list` contains them already. */
  events: readonly TaskEvent[];
  /** The list after the action. */
  list: TaskList;
  /** The reply to the actor: the model's tool result, or why a user's edit was refused. May be empty. */
  reply: string;
};

type Change = Omit<Extract<TaskEvent, { type: 'task-update' }>, 'type' | 'taskId' | 'by'>;

/** Returns a decision with these events. */
export function accept(list: TaskList, events: readonly TaskEvent[], reply: string): Decision {
  return { accepted: true, events, list: applyEvents(list, events), reply };
}

/** Returns a decision that leaves the list as it is. */
export function refuse(list: TaskList, reply: string): Decision {
  return { accepted: false, events: [], list, reply };
}

/** Returns the event that makes this change to a task. */
export function update(task: TaskItem, by: TaskOrigin, change: Change): TaskEvent {
  return { type: 'task-update', taskId: task.id, by, ...change };
}

/** Returns the event that adds a new task to a list. */
export function addTaskEvent(list: TaskList, title: string, origin: TaskOrigin, index: number): TaskEvent {
  return { type: 'task-add', task: { id: `task-${list.nextNumber}`, title, origin }, index };
}
