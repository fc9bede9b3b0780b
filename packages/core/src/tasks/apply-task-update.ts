import { withoutUndefined } from '../base/without-undefined.ts';
import type { TaskEvent, TaskItem } from './task-item.ts';
/** Returns a task after an update. Its other fields stay. */
export function applyTaskUpdate<Task extends TaskItem>(
  task: Task,
  event: Extract<TaskEvent, { type: 'task-update' }>,
): Task {
  const { title = task.title, status = task.status, attempts = task.attempts } = event;
  const { result = task.result, error = task.error } = event;
  const isRenamed = event.by === 'user' && task.origin === 'author' && title !== task.title;
  const after = withoutUndefined({
    ...task,
    title,
    authored: task.authored ?? (isRenamed ? task.title : undefined),
    status,
    attempts,
    // null removes them
    result: result ?? undefined,
    error: error ?? undefined,
  });
  // the same fields, although the compiler does not see that they make up a `Task`
  return after as unknown as Task;
}
