import { applyTaskEvent, type TaskEvent, type TaskStatus } from '../tasks/task.ts';
import type { TaskState } from './state.ts';

/**
 * The tasks after one more event, with their times. A task that did not change keeps its identity. `earlier` is how the
 * tasks stood of which the events say again what came of them: what had ended then has its times from there.
 */
export function applyToTasks(
  tasks: readonly TaskState[],
  event: TaskEvent & { seq: number; t: number },
  earlier: readonly TaskState[] = [],
): readonly TaskState[] {
  // what is known of a task besides stays with it
  const items = applyTaskEvent(tasks, event) as readonly TaskState[];
  switch (event.type) {
    case 'task-add':
    case 'task-update': {
      const index = items.findIndex((item, place) => item !== tasks[place]);
      const item = items[index];
      if (item === undefined) return tasks;
      const known = earlier.find((task) => task.id === item.id && task.status === item.status);
      return items.with(index, withTimes(timed(item, tasks[index]?.status, event), known));
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

/** A task that had ended before, as far as it is known, with the times of then. */
function withTimes(task: TaskState, known: TaskState | undefined): TaskState {
  if (known?.finishedAt === undefined) return task;
  const { startedAt, finishedAt } = known;
  return { ...task, ...(startedAt === undefined ? {} : { startedAt }), finishedAt };
}
