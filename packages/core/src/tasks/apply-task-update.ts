import type { TaskEvent, TaskItem } from './task-item.ts';
/** Returns a task after an update. Its other fields stay. */
export function applyTaskUpdate<Task extends TaskItem>(
  task: Task,
  event: Extract<TaskEvent, { type: 'task-update' }>,
): Task {
  const { title = task.title, status = task.status, attempts = task.attempts } = event;
  const { result = task.result, error = task.error } = event;
  const { result: _result, error: _error, ...rest } = task;
  const isRenamed = event.by === 'user' && task.origin === 'author' && title !== task.title;
  const after: Omit<Task, 'result' | 'error'> & Pick<TaskItem, 'result' | 'error'> = {
    ...rest,
    title,
    ...(isRenamed ? { authored: task.authored ?? task.title } : {}),
    status,
    attempts,
    ...(result === undefined || result === null ? {} : { result }),
    ...(error === undefined || error === null ? {} : { error }),
  };
  // the same fields, although the compiler does not see that they make up a `Task`
  return after as unknown as Task;
}
