/** A task's status. `completed`, `failed` and `skipped` are ends; a user may still retry the task. */
export type TaskStatus = 'pending' | 'in_progress' | 'validating' | 'completed' | 'failed' | 'skipped';

/** Who added or changed a task: the prompt's author, the model, or the user who watches the run. */
export type TaskOrigin = 'author' | 'model' | 'user';

/** One task of a list. */
export type TaskItem = {
  readonly id: string;
  readonly title: string;
  /** The author's title of a task that the user has renamed. */
  readonly authored?: string;
  readonly status: TaskStatus;
  readonly origin: TaskOrigin;
  /** True if a validation of the prompt's author checks the result. */
  readonly hasValidation?: true;
  /** How many results have been refused. */
  readonly attempts: number;
  /** The result of a completed task; during validation, the result that is validated. */
  readonly result?: string;
  /** Why the last result was refused, or why the task failed or was skipped. */
  readonly error?: string;
};

/** The events of a task list. The log contains them, and the list is their result. */
export type TaskEvent =
  | {
      type: 'task-add';
      task: Pick<TaskItem, 'id' | 'title' | 'origin' | 'hasValidation'>;
      index: number;
    }
  /** Fields that are left out stay unchanged; `null` removes a field. */
  | {
      type: 'task-update';
      taskId: string;
      by: TaskOrigin;
      title?: string;
      status?: TaskStatus;
      attempts?: number;
      result?: string | null;
      error?: string | null;
      /** True if the validation threw the error, and did not return it. */
      thrown?: true;
    }
  /** `index` is the position after the move. */
  | { type: 'task-move'; taskId: string; index: number; by: TaskOrigin }
  | { type: 'task-remove'; taskId: string; by: TaskOrigin };

/** An edit of a task list by the user who watches the run. */
export type TaskEdit =
  /** Default position: the end. */
  | { type: 'add'; title: string; index?: number | undefined }
  | { type: 'rename'; taskId: string; title: string }
  | { type: 'remove'; taskId: string }
  | { type: 'move'; taskId: string; index: number }
  | { type: 'skip'; taskId: string; reason?: string | undefined }
  | { type: 'retry'; taskId: string }
  /** Completes the task with the user's own result, which nothing validates. */
  | { type: 'resolve'; taskId: string; result: string };

/** Whether a command was accepted, and if not, why. */
export type EditReply = { accepted: true } | { accepted: false; reason: string };
