import { accept, type Decision, refuse, update } from './decision.ts';
import type { TaskEvent, TaskItem } from './task.ts';
import type { TaskList } from './task-list.ts';

/**
 * A new list that stands as an earlier one did, for the next turn of a conversation. What was under way or had failed is
 * pending again. Refused where the author's tasks are not those of the earlier list.
 */
export function resumeTasks(list: TaskList, earlier: readonly TaskItem[]): Decision {
  const authored = earlier.filter(({ origin }) => origin === 'author');
  const same =
    authored.length === list.items.length &&
    list.items.every((task) => authored.some(({ id, title }) => id === task.id && title === task.title));
  if (!same || earlier.length === 0) return refuse(list, 'These are the tasks of another list.');
  const events = earlier.flatMap((task, index): TaskEvent[] => {
    const { id, title, origin, status, result, error } = task;
    const added: TaskEvent = { type: 'task-add', task: { id, title, origin }, index };
    if (status !== 'completed' && status !== 'skipped') return [added];
    return [
      added,
      update(task, origin, {
        status,
        ...(result === undefined ? {} : { result }),
        ...(error === undefined ? {} : { error }),
      }),
    ];
  });
  return accept({ ...list, items: [], nextNumber: 1 }, events, '');
}
