import type { ModelMessage } from 'ai';
import { CuelineError } from '../base/errors.ts';
import { scriptError } from '../base/script-error.ts';
import { resolveMessages } from '../messages/resolve-messages.ts';
import type { Definitions } from '../prompt/definitions.ts';
import type { PromptBuilder } from '../prompt/prompt-builder.ts';
import type { TaskListDefinition } from '../prompt/task-list.ts';
import { touchTask } from '../tasks/author-list.ts';
import { nudge } from '../tasks/nudge.ts';
import { renderWindow } from '../tasks/render-window.ts';
import { failedTask, isComplete, openTasks } from '../tasks/task-list.ts';
import { attemptsOf, nameTasks, quote } from '../tasks/task-text.ts';
import type { EventSink } from '../tool-calls/run-context.ts';
import { earlyEnds, type EarlyEnd } from './ending.ts';

/** Where a list stood when another process left it. */
export type TaskPosition = {
  /** The task of the last step. */
  taskId: string | undefined;
  /** The position at which its messages begin. */
  since: number;
  /** How often the model was reminded since a task last changed. */
  nudges: number;
};

/** Connects a task list with a run: the messages of each step, and when the run may end. */
export class TaskProgress {
  readonly #prompt: PromptBuilder;
  readonly #list: TaskListDefinition;
  readonly #position: TaskPosition | undefined;
  #taskId: string | undefined;
  #layer: Definitions | undefined;
  /** The position at which the messages of the current task begin. */
  #since: number;
  #nudges: number;
  #isFirst = true;
  #shownEdits = 0;
  #window: ModelMessage | undefined;

  constructor(prompt: PromptBuilder, list: TaskListDefinition, sink: EventSink, position?: TaskPosition) {
    this.#prompt = prompt;
    this.#list = list;
    this.#position = position;
    this.#since = position?.since ?? 0;
    this.#nudges = position?.nudges ?? 0;
    list.requestTaskId = position?.taskId;
    list.listen(
      (event) => {
        // a model that advances with its tasks does not need repeated nudges
        this.#nudges = 0;
        sink.append(event);
      },
      () => sink.ended,
    );
  }

  /** The task of the last step. */
  get taskId(): string | undefined {
    return this.#taskId;
  }

  /** Its definitions. */
  get layer(): Definitions | undefined {
    return this.#layer;
  }

  /** True if the list can no longer be completed. */
  get failed(): boolean {
    return failedTask(this.#list.list) !== undefined;
  }

  /**
   * Returns what the next step sends of the conversation, and the current task's definitions. The first
   * `initialMessageCount` messages of the conversation are the prompt's own. Calls `extend` if a task has become
   * current.
   */
  async step(
    conversation: readonly ModelMessage[],
    initialMessageCount: number,
  ): Promise<{ layer: Definitions | undefined; messages: readonly ModelMessage[] }> {
    const list = this.#list;
    // the user's changes are shown until the next task, and at least once
    if (list.current?.id !== this.#taskId) list.userEdits = list.userEdits.slice(this.#shownEdits);
    // the list may change while `extend` of its current task runs
    do await this.#enter(conversation, initialMessageCount);
    while (list.current?.id !== this.#taskId);
    this.#shownEdits = list.userEdits.length;
    return { layer: this.#layer, messages: this.#compose(conversation, initialMessageCount) };
  }

  /**
   * Returns the definitions of the task of the last step, before the calls that the step has left open are settled:
   * they belong to that task, also if another one is current by now. Calls its `extend`.
   */
  async resume(
    conversation: readonly ModelMessage[],
    initialMessageCount: number,
    hasOpenStep: boolean,
  ): Promise<Definitions | undefined> {
    const taskId = this.#position?.taskId;
    if (taskId === undefined || (!hasOpenStep && taskId !== this.#list.current?.id)) return undefined;
    this.#taskId = taskId;
    this.#isFirst = false;
    await this.#callExtend(taskId, conversation, initialMessageCount);
    return this.#layer;
  }

  /** Notes that a tool is called, which starts the current task. */
  called(toolName: string): void {
    const { list, current, tools } = this.#list;
    // a call beside the one that finishes a task belongs to that task
    const begins = list.kind === 'static' && current?.id === this.#taskId;
    if (begins && !tools.has(toolName)) this.#list.apply(touchTask(list));
  }

  /** Returns the reminder for a model that stops; undefined if it may stop, or was reminded often enough. */
  nudge(): string | undefined {
    const { list, maxNudges } = this.#list;
    if (openTasks(list).length === 0 || failedTask(list) !== undefined) return undefined;
    if (this.#nudges >= maxNudges) return undefined;
    this.#nudges += 1;
    return nudge(list);
  }

  /** Returns why the run cannot end as done. `early` is what ended the loop, if it was not the model. */
  unfinished(early?: EarlyEnd): CuelineError | undefined {
    return unfinishedTasksError(this.#list, early);
  }

  async #enter(conversation: readonly ModelMessage[], initialMessageCount: number): Promise<void> {
    const { current } = this.#list;
    if (current?.id === this.#taskId) return;
    this.#layer = undefined;
    this.#taskId = this.#list.requestTaskId = current?.id;
    // if no task is current, the end of the last one is still useful
    if (current === undefined) return;
    const continues = this.#isFirst && this.#position?.taskId === current.id;
    this.#isFirst = false;
    if (!continues) this.#since = beginOfTask(conversation, this.#list, initialMessageCount);
    await this.#callExtend(current.id, conversation, initialMessageCount);
  }

  async #callExtend(
    taskId: string,
    conversation: readonly ModelMessage[],
    initialMessageCount: number,
  ): Promise<void> {
    const { task = '', extend } = this.#list.definitionOf(taskId) ?? {};
    if (extend === undefined) return;
    try {
      const own = await this.#prompt.layer((scoped) =>
        extend(scoped, this.#compose(conversation, initialMessageCount)),
      );
      this.#layer = { ...own, messages: await resolveMessages(own.messages) };
    } catch (error) {
      throw scriptError(`extend of the task “${task.trim()}”`, error, 'prompt');
    }
  }

  #compose(conversation: readonly ModelMessage[], initialMessageCount: number): ModelMessage[] {
    const { list, userEdits } = this.#list;
    const text = renderWindow(list, { edits: userEdits });
    // a list that an earlier turn has finished is not sent again
    const isOld = this.#taskId === undefined && this.#since === 0 && isComplete(list);
    if (text === undefined || isOld) return [...conversation];
    // the same object as long as its content is the same, so that the log does not repeat it
    if (this.#window?.content !== text) this.#window = { role: 'user', content: text };
    return [
      ...conversation.slice(0, initialMessageCount),
      this.#window,
      ...(this.#layer?.messages ?? []),
      ...conversation.slice(Math.max(this.#since, initialMessageCount)),
    ];
  }
}

/**
 * Returns the position at which the messages of a task begin that has just become current. The model starts a dynamic
 * task with a call, so that answer belongs to it, too, if it has other calls, whose results the model has not read
 * yet.
 */
export function beginOfTask(
  messages: readonly ModelMessage[],
  { list, tools }: Pick<TaskListDefinition, 'list' | 'tools'>,
  initialMessageCount: number,
): number {
  const last = messages.findLastIndex(({ role }) => role === 'assistant');
  const content = last < initialMessageCount ? undefined : messages[last]?.content;
  const hasOtherCalls =
    list.kind === 'dynamic' &&
    Array.isArray(content) &&
    content.some((part) => part.type === 'tool-call' && !tools.has(part.toolName));
  return hasOtherCalls ? last : messages.length;
}

/** The error of a run whose loop ends before its tasks are done; undefined if they are. */
function unfinishedTasksError(
  { list }: TaskListDefinition,
  early: EarlyEnd | undefined,
): CuelineError | undefined {
  const failed = failedTask(list);
  if (failed !== undefined) {
    return new CuelineError(
      'tasks_incomplete',
      `The task “${failed.title}” failed after ${attemptsOf(failed)}. Try another model, or raise maxAttempts. Last feedback: ${failed.error ?? 'none'}`,
      { details: { taskId: failed.id, open: openTasks(list).map(({ id }) => id) } },
    );
  }
  const open = openTasks(list);
  if (open.length === 0) return undefined;
  const { what, advice } =
    early === undefined
      ? { what: 'The model stopped', advice: 'Try another model, or raise maxNudges.' }
      : earlyEnds[early];
  return new CuelineError(
    'tasks_incomplete',
    `${what} with ${open.length === 1 ? 'a task' : `${open.length} tasks`} open: ${nameTasks(open, ({ title }) => quote(title))}. ${advice}`,
    { details: { open: open.map(({ id }) => id) } },
  );
}
