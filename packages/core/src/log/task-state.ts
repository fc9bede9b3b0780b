import { applyTaskEvent, type TaskEvent, type TaskStatus } from '../tasks/task.ts';
import type { TaskState } from './state.ts';

/** The tasks after one more event, with their times. A task that did not change keeps its identity. */
export function applyToTasks(
  tasks: readonly TaskState[],
  event: TaskEvent & { seq: number; t: number },
): readonly TaskState[] {
  // what is known of a task besides stays with it
  const items = applyTaskEvent(tasks, event) as readonly TaskState[];
  switch (event.type) {
    case 'task-add':
    case 'task-update': {
      const index = items.findIndex((item, place) => item !== tasks[place]);
      const item = items[index];
      return item === undefined ? tasks : items.with(index, timed(item, tasks[index]?.status, event));
    }
    default:
      // these leave every task as it was
      return items.length === tasks.length && event.type === 'task-remove' ? tasks : items;
  }
}

function timed(
  item: TaskState,
  before: TaskStatus | undefined,
  { seq, t }: { seq: number; t: number },
): TaskState {
  const { startedAt = item.status === 'in_progress' ? t : undefined, finishedAt = t, ...task } = item;
  const ended = task.status === 'completed' || task.status === 'failed' || task.status === 'skipped';
  return {
    ...task,
    seq,
    ...(startedAt === undefined || task.status === 'pending' ? {} : { startedAt }),
    ...(ended ? { finishedAt: task.status === before ? finishedAt : t } : {}),
  };
}
