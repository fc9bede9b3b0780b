import type { ModelMessage } from 'ai';
import { checkNames } from '../base/check-names.ts';
import { CuelineError } from '../base/errors.ts';
import { isRecord } from '../base/is-record.ts';
import { quoteValue } from '../base/quote-value.ts';
import { createTaskList } from '../tasks/create-task-list.ts';
import { accept, update, type Decision } from '../tasks/decision.ts';
import { editTasks } from '../tasks/edits.ts';
import { resumeTasks } from '../tasks/resume.ts';
import type { EditReply, TaskEdit, TaskEvent, TaskItem } from '../tasks/task-item.ts';
import { applyEvents, currentTask, isComplete, type TaskList } from '../tasks/task-list.ts';
import type { OwnToolDefinition } from '../tools/tool-definition.ts';

/** One task of `defTaskList`. `P` is the prompt with its plugins' methods. */
export type TaskDefinition<P = unknown> = {
  /** The description of the task that the model reads. */
  task: string;
  /**
   * Checks a result. A string that it returns, or an error that it throws, becomes the feedback to the model. If it
   * exceeds the time limit of a tool call, the result counts as refused.
   */
  validation?:
    | ((result: string) => string | void | undefined | Promise<string | void | undefined>)
    | undefined;
  /**
   * Called when the task becomes current, and when a retry or another process continues the run. Its definitions on
   * `prompt` exist for this task only. `messages` are those that would be sent to the model.
   */
  extend?: ((prompt: P, messages: ModelMessage[]) => void | Promise<void>) | undefined;
};

/** The options of `prompt.defTaskList`. */
export type TaskListOptions = {
  /** How many results of one task may be refused before the run ends as `tasks_incomplete`. Default 5. */
  maxAttempts?: number | undefined;
  /** How often a model that stops while tasks are open is reminded, without progress in between. Default 3. */
  maxNudges?: number | undefined;
};

/** The current tasks, and a method to edit them from outside. */
export type TaskListHandle = {
  readonly tasks: readonly TaskItem[];
  /** The task in progress, or the next one. */
  readonly current: TaskItem | undefined;
  readonly isComplete: boolean;
  /** Edits the list; the model sees the change at its next step. An impossible edit is refused with a reason. */
  edit(edit: TaskEdit): EditReply;
};

/** The task list of a prompt: the author's definitions, and the current tasks. The runner listens to its events. */
export class TaskListDefinition implements TaskListHandle {
  /** All events of the list, from its first task on. */
  readonly events: TaskEvent[] = [];
  /** The user's edits since the current task began, as text. */
  userEdits: string[] = [];
  readonly tools: Map<string, OwnToolDefinition> = new Map();
  readonly maxNudges: number;
  /** The task of the last request to the model, which may no longer be current. Set by the runner. */
  requestTaskId: string | undefined;
  /** The definitions of this version of the prompt, by the ids that their tasks have in a new list. */
  readonly #authored: ReadonlyMap<string, TaskDefinition>;
  #definitions: ReadonlyMap<string, TaskDefinition>;
  #list: TaskList;
  #listener: ((event: TaskEvent) => void) | undefined;
  #hasEnded: () => boolean = () => false;
  readonly #waiting = new Set<() => void>();
  /** How many of the events the listener has received. */
  #notifiedCount = 0;

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
    this.#authored = new Map(list.items.map(({ id }, index) => [id, tasks[index]!]));
    this.#definitions = this.#authored;
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

  /** Returns the author's definition of a task; undefined for a task that the user or the model added. */
  definitionOf(taskId: string): TaskDefinition | undefined {
    return this.#definitions.get(taskId);
  }

  /**
   * Starts with the tasks of an earlier turn, if they belong to this list. Must be called before a listener is
   * added.
   */
  resume(earlier: readonly TaskItem[]): void {
    const { accepted, events, list } = resumeTasks(this.#list, earlier);
    if (!accepted) return;
    this.#list = list;
    this.#definitions = findDefinitions(events, this.#authored);
    this.events.splice(0, Infinity, ...events);
  }

  /** Continues a list whose events are in the log already. Must be called before a listener is added. */
  takeOver(events: readonly TaskEvent[]): void {
    if (events.length === 0) return;
    this.#list = applyEvents({ ...this.#list, items: [] }, events);
    this.#definitions = findDefinitions(events, this.#authored);
    this.events.splice(0, Infinity, ...events);
    this.#notifiedCount = events.length;
    for (const task of this.tasks) {
      if (task.status !== 'validating') continue;
      // the result is validated again
      const again = [update(task, 'author', { status: 'in_progress', result: null })];
      this.apply(accept(this.#list, again, ''));
    }
  }

  /** Applies a decision, and returns its reply. */
  apply(decision: Decision): string {
    this.#list = decision.list;
    this.events.push(...decision.events);
    this.#notify();
    for (const check of this.#waiting) check();
    return decision.reply;
  }

  /**
   * Resolves once the validation of a task's result no longer matters, because the user has skipped or resolved
   * the task.
   */
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

  /** Calls `listener` with all past and future events of the list, until the run has ended. */
  listen(listener: (event: TaskEvent) => void, hasEnded: () => boolean): void {
    this.#listener = listener;
    this.#hasEnded = hasEnded;
    this.#notify();
  }

  /** Passes the events to the listener in order, also if it responds to one with an edit, or by ending the run. */
  #notify(): void {
    const listener = this.#listener;
    if (listener === undefined) return;
    while (this.#notifiedCount < this.events.length && !this.#hasEnded())
      listener(this.events[this.#notifiedCount++]!);
    if (this.#notifiedCount === this.events.length) return;
    // events that the run did not receive do not count
    this.events.length = this.#notifiedCount;
    this.#list = applyEvents({ ...this.#list, items: [] }, this.events);
  }
}

/**
 * Returns the definitions of the author's tasks in a list that another version of the prompt may have begun: those
 * with their titles, because tasks may have been added or moved. A task whose title is gone has the definition of its
 * id, unless that one belongs to another task.
 */
function findDefinitions(
  events: readonly TaskEvent[],
  authored: ReadonlyMap<string, TaskDefinition>,
): Map<string, TaskDefinition> {
  const left = new Map(authored);
  const found = new Map<string, TaskDefinition>();
  const titleOf = (id: string): string | undefined => left.get(id)?.task.trim();
  const ways: ((task: Pick<TaskItem, 'id' | 'title'>) => string | undefined)[] = [
    ({ id, title }) => (titleOf(id) === title ? id : undefined),
    ({ title }) => [...left.keys()].find((id) => titleOf(id) === title),
    ({ id }) => id,
  ];
  for (const idOfDefinition of ways) {
    for (const event of events) {
      if (event.type !== 'task-add' || event.task.origin !== 'author' || found.has(event.task.id)) continue;
      const id = idOfDefinition(event.task) ?? '';
      const definition = left.get(id);
      if (definition === undefined) continue;
      left.delete(id);
      found.set(event.task.id, definition);
    }
  }
  return found;
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
