import { accept, type Decision, refuse, update } from './decision.ts';
import type { TaskEvent, TaskItem } from './task-item.ts';
import { findTask, type TaskList } from './task-list.ts';
import { isTaskDone } from './task-status.ts';

/**
 * Returns a new list with the statuses of an earlier one, for the next turn of a conversation. Tasks that were in
 * progress or had failed are pending again; the user's renames and removals stay. Refused if the earlier list has a
 * task that the author has not written; the new list begins anew then.
 */
export function resumeTasks(list: TaskList, earlier: readonly TaskItem[]): Decision {
  const isKnown = ({ id, title, authored = title, origin }: TaskItem): boolean =>
    origin !== 'author' || list.items.some((task) => task.id === id && task.title === authored);
  const hasAuthored = list.items.length === 0 || earlier.some(({ origin }) => origin === 'author');
  if (earlier.length === 0 || !hasAuthored || !earlier.every(isKnown)) {
    return refuse(list, 'These are the tasks of another list.');
  }
  const events = earlier.flatMap((task, index): TaskEvent[] => {
    const { id, title, authored = title, origin, status, result, error } = task;
    // this list decides whether a result is validated, and not the earlier one
    const { hasValidation } = origin === 'author' ? (findTask(list, id) ?? {}) : {};
    const facts = { id, title: authored, origin, ...(hasValidation === true ? { hasValidation } : {}) };
    const added: TaskEvent = { type: 'task-add', task: facts, index };
    const renamed = authored === title ? [] : [update(task, 'user', { title })];
    if (!isTaskDone(task)) return [added, ...renamed];
    return [
      added,
      ...renamed,
      update(task, origin, {
        status,
        ...(result === undefined ? {} : { result }),
        ...(error === undefined ? {} : { error }),
      }),
    ];
  });
  // numbers go on, so that no new task has the id of a removed one
  return accept({ ...list, items: [] }, events, '');
}
