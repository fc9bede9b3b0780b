import { applyTaskUpdate } from './apply-task-update.ts';
import type { TaskEvent, TaskItem } from './task-item.ts';
/**
 * Returns the list after one more event. An event about an unknown task, or a second task with the same id, changes
 * nothing.
 */
export function applyTaskEvent(items: readonly TaskItem[], event: TaskEvent): readonly TaskItem[] {
  switch (event.type) {
    case 'task-add':
      if (items.some(({ id }) => id === event.task.id)) return items;
      return items.toSpliced(event.index, 0, { ...event.task, status: 'pending', attempts: 0 });
    case 'task-remove':
      return items.filter(({ id }) => id !== event.taskId);
    case 'task-move': {
      const task = items.find(({ id }) => id === event.taskId);
      if (task === undefined) return items;
      return items.filter((item) => item !== task).toSpliced(event.index, 0, task);
    }
    case 'task-update': {
      const index = items.findIndex(({ id }) => id === event.taskId);
      const task = items[index];
      return task === undefined ? items : items.with(index, applyTaskUpdate(task, event));
    }
  }
}
