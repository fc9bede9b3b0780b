import { applyTaskEvent, type TaskEvent, type TaskItem } from '../tasks/task.ts';
import type { TaskState } from './state.ts';

/** The tasks after one more event, with their times. A task that did not change keeps its identity. */
export function applyToTasks(
  tasks: readonly TaskState[],
  event: TaskEvent & { seq: number; t: number },
): readonly TaskState[] {
  const items = applyTaskEvent(tasks, event);
  switch (event.type) {
    case 'task-add':
    case 'task-update': {
      const index = items.findIndex((item, place) => item !== tasks[place]);
      const item = items[index];
      if (item === undefined) return tasks;
      const before = event.type === 'task-add' ? undefined : tasks[index];
      return (items as TaskState[]).with(index, timed(item, before, event));
    }
    default:
      // these leave every task as it was
      return items.length === tasks.length && event.type === 'task-remove' ? tasks : (items as TaskState[]);
  }
}

function timed(
  item: TaskItem,
  before: TaskState | undefined,
  { seq, t }: { seq: number; t: number },
): TaskState {
  const { id, title, status, origin, attempts, result, error } = item;
  const startedAt =
    status === 'pending' ? undefined : (before?.startedAt ?? (status === 'in_progress' ? t : undefined));
  const ended = status === 'completed' || status === 'failed' || status === 'skipped';
  const finishedAt = ended ? ((before?.status === status ? before.finishedAt : undefined) ?? t) : undefined;
  return {
    id,
    title,
    status,
    origin,
    attempts,
    ...(result === undefined ? {} : { result }),
    ...(error === undefined ? {} : { error }),
    seq,
    ...(startedAt === undefined ? {} : { startedAt }),
    ...(finishedAt === undefined ? {} : { finishedAt }),
  };
}
