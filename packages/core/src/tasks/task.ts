import { updateTask } from './update-task.ts';

/** How a task stands. `completed`, `failed` and `skipped` are ends; a user may still ask to have it tried again. */
export type TaskStatus = 'pending' | 'in_progress' | 'validating' | 'completed' | 'failed' | 'skipped';

/** Who put a task on the list, or changed it: the prompt's author, the model, or whoever watches the run. */
export type TaskOrigin = 'author' | 'model' | 'user';

/** One task as the list knows it. */
export type TaskItem = {
  readonly id: string;
  readonly title: string;
  /** The author's title, where the user has renamed a task of the author's. */
  readonly authored?: string;
  readonly status: TaskStatus;
  readonly origin: TaskOrigin;
  /** True where the prompt's author checks the result. Missing otherwise. */
  readonly hasValidation?: true;
  /** How many results have been refused. */
  readonly attempts: number;
  /** What came of it, once it is completed; while it is validated, what is to be validated. */
  readonly result?: string;
  /** Why the last result was refused, or why the task failed or was skipped. */
  readonly error?: string;
};

/** What can happen to a list of tasks. The log keeps these; the list is what they amount to. */
export type TaskEvent =
  | {
      type: 'task-add';
      task: Pick<TaskItem, 'id' | 'title' | 'origin' | 'hasValidation'>;
      index: number;
    }
  /** What is not named stays as it was; `null` takes it away. */
  | {
      type: 'task-update';
      taskId: string;
      by: TaskOrigin;
      title?: string;
      status?: TaskStatus;
      attempts?: number;
      result?: string | null;
      error?: string | null;
      /** True where the error is what the validation threw, and not what it returned. */
      thrown?: true;
    }
  /** `index` is the place after the move. */
  | { type: 'task-move'; taskId: string; index: number; by: TaskOrigin }
  | { type: 'task-remove'; taskId: string; by: TaskOrigin };

/** What somebody who watches a run may do to its tasks. */
export type TaskEdit =
  /** At the end, where no index says otherwise. */
  | { type: 'add'; title: string; index?: number }
  | { type: 'rename'; taskId: string; title: string }
  | { type: 'remove'; taskId: string }
  | { type: 'move'; taskId: string; index: number }
  | { type: 'skip'; taskId: string; reason?: string }
  | { type: 'retry'; taskId: string }
  /** Completes the task with the user's own result, which nothing validates. */
  | { type: 'resolve'; taskId: string; result: string };

/** Whether an edit was made, and if not, why. */
export type EditReply = { accepted: true } | { accepted: false; reason: string };

/** A list after one more event. An event about a task that is not there, or a second task of one id, changes nothing. */
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
      return task === undefined ? items : items.with(index, updateTask(task, event));
    }
  }
}
