import { withoutUndefined } from '../base/without-undefined.ts';
import { applyTaskUpdate } from '../tasks/apply-task-update.ts';
import type { TaskEvent, TaskStatus } from '../tasks/task-item.ts';
import { isTaskDone } from '../tasks/task-status.ts';
import type { TaskState } from './state.ts';

/** The tasks while they are written; `writable` is that of a `StateDraft`. */
export type TaskDraft = {
  fields: { tasks: readonly TaskState[] };
  writable<T extends object>(value: T): T;
  /** The tasks before the run resumed. Finished tasks take their times from there. */
  progress: { earlierTasks: ReadonlyMap<string, TaskState> };
  /** The index of each task when it was last searched. Inserting or removing a task moves those after it. */
  indexes: { tasks?: Map<string, number>; drift?: number };
};

/** Applies one event to the tasks, with their times. A task that did not change keeps its identity. */
export function applyToTasks(
  { fields, writable, progress, indexes }: TaskDraft,
  event: TaskEvent & { seq: number; t: number },
): void {
  const known = (indexes.tasks ??= new Map(fields.tasks.map((task, index) => [task.id, index])));
  const id = event.type === 'task-add' ? event.task.id : event.taskId;
  let index = known.get(id);
  if (index !== undefined) {
    // first at its last index, then shifted by as much as the last task had moved, then around that
    for (let away = 0; fields.tasks[index]?.id !== id; away += 1) {
      index += away === 0 ? (indexes.drift ?? 0) : away % 2 === 0 ? -away : away;
    }
    indexes.drift = index - known.get(id)!;
    known.set(id, index);
  }
  const task = fields.tasks[index ?? -1];
  // an event about an unknown task, or a second task with the same id, is ignored
  if ((task === undefined) !== (event.type === 'task-add')) return;
  const tasks = writable(fields.tasks as TaskState[]);
  fields.tasks = tasks;
  const written = (item: TaskState): TaskState =>
    withEarlierTimes(timed(item, task?.status, event), progress.earlierTasks.get(id));
  if (event.type === 'task-update') {
    tasks[index!] = written(applyTaskUpdate(task!, event));
    return;
  }
  if (task !== undefined) tasks.splice(index!, 1);
  if (event.type === 'task-remove') {
    known.delete(id);
    return;
  }
  const item =
    task ?? written({ ...(event as TaskAdd).task, status: 'pending', attempts: 0, seq: event.seq });
  tasks.splice(event.index, 0, item);
  // the index may be invalid, because logs are not checked for that
  known.set(id, tasks[event.index] === item ? Math.trunc(event.index) : tasks.lastIndexOf(item));
}

type TaskAdd = Extract<TaskEvent, { type: 'task-add' }>;

function timed(
  item: TaskState,
  before: TaskStatus | undefined,
  { seq, t }: { seq: number; t: number },
): TaskState {
  const { startedAt = item.status === 'in_progress' ? t : undefined, finishedAt = t, ...task } = item;
  const ended = isTaskDone(task) || task.status === 'failed';
  return withoutUndefined({
    ...task,
    seq,
    startedAt: task.status === 'pending' ? undefined : startedAt,
    finishedAt: ended ? (task.status === before ? finishedAt : t) : undefined,
  });
}

/** Returns a task with the times of its earlier end, if it ended in the same way before the run resumed. */
function withEarlierTimes(task: TaskState, earlier: TaskState | undefined): TaskState {
  if (earlier?.finishedAt === undefined || earlier.status !== task.status) return task;
  const { startedAt, finishedAt } = earlier;
  return { ...task, ...withoutUndefined({ startedAt, finishedAt }) };
}
