import type { EditReply, TaskEdit, TaskEvent, TaskItem } from '../tasks/task-item.ts';
import type { ModelMessage } from 'ai';
import { CuelineError } from '../base/errors.ts';
import { createTaskList } from '../tasks/create-task-list.ts';
import { accept, update, type Decision } from '../tasks/decision.ts';
import { editTasks } from '../tasks/edits.ts';
import { resumeTasks } from '../tasks/resume.ts';
import { applyEvents, currentTask, isComplete, type TaskList } from '../tasks/task-list.ts';
import { checkNames } from '../base/check-names.ts';
import { isRecord, quoteValue } from '../base/describe-value.ts';
import type { ToolDefinition } from './definitions.ts';

/** One task of `defTaskList`. `P` is the prompt with its plugins' methods. */
export type TaskDefinition<P = unknown> = {
  /** What is to be done, as the model is told. */
  task: string;
  /** Looks at a result. A text that it returns, or an error that it throws, is the feedback that the model gets. */
  validation?: (result: string) => string | void | undefined | Promise<string | void | undefined>;
  /**
   * Called when the task becomes current. What it defines on `prompt` exists for this task only. `messages` is what
   * the model would be sent.
   */
  extend?: (prompt: P, messages: ModelMessage[]) => void | Promise<void>;
};

export type TaskListOptions = {
  /** How many results of one task may be refused before the run ends as `tasks_incomplete`. Default 5. */
  maxAttempts?: number;
  /** How often the model is reminded when it stops while tasks are open, between two of its tasks' steps. Default 3. */
  maxNudges?: number;
};

/** The tasks as they stand, and the way to change them from outside. */
export type TaskListHandle = {
  readonly tasks: readonly TaskItem[];
  /** The task that is being worked on, or that is next. */
  readonly current: TaskItem | undefined;
  readonly isComplete: boolean;
  /** Changes the list; the model sees it at its next step. An edit that makes no sense is refused with a reason. */
  edit(edit: TaskEdit): EditReply;
};

/** What a prompt function says of its tasks, and the tasks as they stand. The runner listens to what happens to them. */
export class TaskListDefinition implements TaskListHandle {
  /** Everything that has happened to the list, from its first task on. */
  readonly events: TaskEvent[] = [];
  /** What the user has changed since the current task began, in words. */
  userEdits: string[] = [];
  readonly tools: Map<string, ToolDefinition> = new Map();
  readonly maxNudges: number;
  /** The task that the model has been sent to work on, which need not be current any more. Set by the runner. */
  underWay: string | undefined;
  readonly #definitions: ReadonlyMap<string, TaskDefinition>;
  #list: TaskList;
  #listener: ((event: TaskEvent) => void) | undefined;
  #hasEnded: () => boolean = () => false;
  readonly #waiting = new Set<() => void>();
  /** How many of the events the listener has been told of. */
  #told = 0;

  constructor(
    kind: TaskList['kind'],
    tasks: readonly TaskDefinition[],
    { maxAttempts = 5, maxNudges = 3 }: TaskListOptions = {},
  ) {
    const titles = tasks.map(({ task }) => task);
    const validated = new Set(
      tasks.flatMap(({ validation }, index) => (validation === undefined ? [] : [index])),
    );
    const { accepted, list, events, reply } = createTaskList({ kind, titles, validated, maxAttempts });
    if (!accepted) throw new CuelineError('invalid_definition', reply);
    if (!Number.isInteger(maxNudges) || maxNudges < 0) {
      throw new CuelineError(
        'invalid_definition',
        `maxNudges is ${String(maxNudges)}. Give a whole number of at least 0; 0 means that the model is not reminded.`,
      );
    }
    this.#list = list;
    this.events.push(...events);
    this.maxNudges = maxNudges;
    this.#definitions = new Map(list.items.map(({ id }, index) => [id, tasks[index]!]));
  }

  get list(): TaskList {
    return this.#list;
  }

  get tasks(): readonly TaskItem[] {
    return this.#list.items;
  }

  get current(): TaskItem | undefined {
    return currentTask(this.#list);
  }

  get isComplete(): boolean {
    return isComplete(this.#list);
  }

  /** What the author said of a task; undefined for one that somebody added. */
  definitionOf(taskId: string): TaskDefinition | undefined {
    return this.#definitions.get(taskId);
  }

  /** Begins as the tasks of an earlier turn stood, where they are those of this list. Before anybody listens. */
  resume(earlier: readonly TaskItem[]): void {
    const { accepted, events, list } = resumeTasks(this.#list, earlier);
    if (!accepted) return;
    this.#list = list;
    this.events.splice(0, Infinity, ...events);
  }

  /** Continues a list of which the log has these events already. Before anybody listens. */
  takeOver(events: readonly TaskEvent[]): void {
    if (events.length === 0) return;
    this.#list = applyEvents({ ...this.#list, items: [], nextNumber: 1 }, events);
    this.events.splice(0, Infinity, ...events);
    this.#told = events.length;
    for (const task of this.tasks) {
      if (task.status !== 'validating') continue;
      // the result is handed in again
      const again = [update(task, 'author', { status: 'in_progress', result: null })];
      this.apply(accept(this.#list, again, ''));
    }
  }

  /** Writes a decision down, and gives its reply. */
  apply(decision: Decision): string {
    this.#list = decision.list;
    this.events.push(...decision.events);
    this.#notify();
    for (const check of this.#waiting) check();
    return decision.reply;
  }

  /** Resolves once a task's result is no longer being validated: somebody has skipped or resolved the task meanwhile. */
  async noLongerValidating(taskId: string): Promise<void> {
    const isValidating = (): boolean =>
      this.tasks.some(({ id, status }) => id === taskId && status === 'validating');
    await new Promise<void>((resolve) => {
      const check = (): void => {
        if (isValidating()) return;
        this.#waiting.delete(check);
        resolve();
      };
      this.#waiting.add(check);
      check();
    });
  }

  edit(edit: TaskEdit): EditReply {
    if (this.#hasEnded()) return { accepted: false, reason: 'The run has ended, so its tasks are fixed.' };
    const decision = editTasks(this.#list, edit);
    const reply = this.apply(decision);
    if (!decision.accepted) return { accepted: false, reason: reply };
    this.userEdits.push(reply);
    return { accepted: true };
  }

  /** Tells `listener` of everything that happened and will happen to the list, until the run has ended. */
  listen(listener: (event: TaskEvent) => void, hasEnded: () => boolean): void {
    this.#listener = listener;
    this.#hasEnded = hasEnded;
    this.#notify();
  }

  /** Tells the listener of one event after the other, also where it answers one with an edit, or by ending the run. */
  #notify(): void {
    const listener = this.#listener;
    if (listener === undefined) return;
    while (this.#told < this.events.length && !this.#hasEnded()) listener(this.events[this.#told++]!);
    if (this.#told === this.events.length) return;
    // what the run was not told of has not happened
    this.events.length = this.#told;
    this.#list = applyEvents({ ...this.#list, items: [], nextNumber: 1 }, this.events);
  }
}

/** @throws CuelineError `invalid_definition` */
export function checkTasks(tasks: readonly TaskDefinition[]): void {
  if (!Array.isArray(tasks) || tasks.length === 0) {
    throw new CuelineError(
      'invalid_definition',
      "A task list needs at least one task: prompt.defTaskList([{ task: 'Add 5 and 3', validation: (result) => … }]). If the model should write the tasks, use prompt.defDynamicTaskList().",
    );
  }
  for (const [index, definition] of tasks.entries()) {
    if (!isRecord(definition)) {
      const written = typeof definition === 'string' ? quoteValue(definition) : "'Add 5 and 3'";
      throw new CuelineError(
        'invalid_definition',
        `tasks[${index}] is ${quoteValue(definition)}. Write { task: ${written} }.`,
      );
    }
    const { task, validation, extend } = definition;
    checkNames(`tasks[${index}]`, definition, ['task', 'validation', 'extend'], 'invalid_definition');
    if (typeof task !== 'string' || task.trim() === '') {
      throw new CuelineError(
        'invalid_definition',
        `tasks[${index}] has no text. Write { task: 'Add 5 and 3' }.`,
      );
    }
    for (const [name, fn] of Object.entries({ validation, extend })) {
      if (fn === undefined || typeof fn === 'function') continue;
      throw new CuelineError('invalid_definition', `tasks[${index}].${name} is not a function.`);
    }
  }
}
