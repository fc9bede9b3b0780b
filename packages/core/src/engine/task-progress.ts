import type { ModelMessage } from 'ai';
import { CuelineError } from '../base/errors.ts';
import { scriptError } from '../base/script-error.ts';
import type { Definitions } from '../prompt/definitions.ts';
import type { PromptBuilder } from '../prompt/prompt-builder.ts';
import { resolveMessages } from '../messages/resolve-messages.ts';
import type { TaskListDefinition } from '../prompt/task-list.ts';
import { nudge } from '../tasks/nudge.ts';
import { renderWindow } from '../tasks/render-window.ts';
import { touchTask } from '../tasks/author-list.ts';
import { attemptsOf, nameTasks, quote } from '../tasks/task-text.ts';
import { failedTask, isComplete, openTasks } from '../tasks/task-list.ts';
import type { EventSink } from '../tool-calls/run-context.ts';
import { earlyEnds, type EarlyEnd } from './ending.ts';

/** Connects a task list with a run: the messages of each step, and when the run may end. */
export type TaskProgress = {
  /**
   * Returns what the next step sends of the conversation, and the current task's definitions. The first
   * `initialMessageCount` messages of the conversation are the prompt's own. Calls `extend` if a task has become current.
   */
  step(
    conversation: readonly ModelMessage[],
    initialMessageCount: number,
  ): Promise<{ layer: Definitions | undefined; messages: readonly ModelMessage[] }>;
  /**
   * Returns the definitions of the task of the last step, before the calls that the step has left open are settled: they
   * belong to that task, also if another one is current by now. Calls its `extend`.
   */
  resume(
    conversation: readonly ModelMessage[],
    initialMessageCount: number,
    hasOpenStep: boolean,
  ): Promise<Definitions | undefined>;
  /** The task of the last step. */
  readonly taskId: string | undefined;
  /** Its definitions. */
  readonly layer: Definitions | undefined;
  /** Notes that a tool is called, which starts the current task. */
  called(toolName: string): void;
  /** Returns the reminder for a model that stops; undefined if it may stop, or was reminded often enough. */
  nudge(): string | undefined;
  /** Returns why the run cannot end as done. `early` is what ended the loop, if it was not the model. */
  unfinished(early?: EarlyEnd): CuelineError | undefined;
  /** True if the list can no longer be completed. */
  readonly failed: boolean;
};

/** Where a list stood when another process left it. */
export type TaskPosition = {
  /** The task of the last step. */
  taskId: string | undefined;
  /** The position at which its messages begin. */
  since: number;
  /** How often the model was reminded since a task last changed. */
  nudges: number;
};

export function createTaskProgress(
  prompt: PromptBuilder,
  list: TaskListDefinition,
  sink: EventSink,
  position?: TaskPosition,
): TaskProgress {
  let currentId: string | undefined;
  let layer: Definitions | undefined;
  /** The position at which the messages of the current task begin. */
  let since = position?.since ?? 0;
  let nudges = position?.nudges ?? 0;
  let isFirst = true;
  list.requestTaskId = position?.taskId;
  let shownEdits = 0;
  let window: ModelMessage | undefined;
  // a model that advances with its tasks does not need repeated nudges
  list.listen(
    (event) => {
      nudges = 0;
      sink.append(event);
    },
    () => sink.ended,
  );

  async function enter(messages: readonly ModelMessage[], initialMessageCount: number): Promise<void> {
    const { current } = list;
    if (current?.id === currentId) return;
    layer = undefined;
    currentId = list.requestTaskId = current?.id;
    // if no task is current, the end of the last one is still useful
    if (current === undefined) return;
    const continues = isFirst && position !== undefined && position.taskId === current.id;
    isFirst = false;
    if (!continues) since = beginOfTask(messages, list, initialMessageCount);
    await callExtend(current.id, messages, initialMessageCount);
  }

  async function callExtend(
    taskId: string,
    messages: readonly ModelMessage[],
    initialMessageCount: number,
  ): Promise<void> {
    const { task = '', extend } = list.definitionOf(taskId) ?? {};
    if (extend === undefined) return;
    try {
      const own = await prompt.layer((scoped) => extend(scoped, compose(messages, initialMessageCount)));
      layer = { ...own, messages: await resolveMessages(own.messages) };
    } catch (error) {
      throw scriptError(`extend of the task “${task.trim()}”`, error, 'prompt');
    }
  }

  function compose(messages: readonly ModelMessage[], initialMessageCount: number): ModelMessage[] {
    const text = renderWindow(list.list, { edits: list.userEdits });
    // a list that an earlier turn has finished is not sent again
    const isOld = currentId === undefined && since === 0 && isComplete(list.list);
    if (text === undefined || isOld) return [...messages];
    // the same object as long as its content is the same, so that the log does not repeat it
    if (window?.content !== text) window = { role: 'user', content: text };
    return [
      ...messages.slice(0, initialMessageCount),
      window,
      ...(layer?.messages ?? []),
      ...messages.slice(Math.max(since, initialMessageCount)),
    ];
  }

  return {
    async step(messages, initialMessageCount) {
      // the user's changes are shown until the next task, and at least once
      if (list.current?.id !== currentId) list.userEdits = list.userEdits.slice(shownEdits);
      // the list may change while `extend` of its current task runs
      do await enter(messages, initialMessageCount);
      while (list.current?.id !== currentId);
      shownEdits = list.userEdits.length;
      return { layer, messages: compose(messages, initialMessageCount) };
    },
    async resume(messages, initialMessageCount, hasOpenStep) {
      const taskId = position?.taskId;
      if (taskId === undefined || (!hasOpenStep && taskId !== list.current?.id)) return undefined;
      currentId = taskId;
      isFirst = false;
      await callExtend(taskId, messages, initialMessageCount);
      return layer;
    },
    called(toolName) {
      // a call beside the one that finishes a task belongs to that task
      const begins = list.list.kind === 'static' && list.current?.id === currentId;
      if (begins && !list.tools.has(toolName)) list.apply(touchTask(list.list));
    },
    nudge() {
      if (openTasks(list.list).length === 0 || failedTask(list.list) !== undefined) return undefined;
      if (nudges >= list.maxNudges) return undefined;
      nudges += 1;
      return nudge(list.list);
    },
    unfinished: (early) => unfinishedTasksError(list, early),
    get taskId() {
      return currentId;
    },
    get layer() {
      return layer;
    },
    get failed() {
      return failedTask(list.list) !== undefined;
    },
  };
}

/**
 * Returns the position at which the messages of a task begin that has just become current. The model starts a dynamic task
 * with a call, so that answer belongs to it, too, if it has other calls, whose results the model has not read yet.
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
