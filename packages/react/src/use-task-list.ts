import {
  CuelineError,
  findCurrentTask,
  taskProgress,
  type EditReply,
  type Prompt,
  type PromptDefinition,
  type RunPromptResult,
  type RunState,
  type StartOptions,
  type TaskDefinition,
  type TaskEdit,
  type TaskListOptions,
  type TaskState,
  type TextPrompt,
} from '@cueline/core';
import { useMemo } from 'react';
import { inlinePrompt } from './inline-prompt.ts';
import type { SharedRun } from './shared-run.ts';
import type { WatchedRun } from './subscribe-throttled.ts';
import { usePrompt, type UseInlinePromptOptions } from './use-prompt.ts';
import { useRun } from './use-run.ts';
import { isShallowEqual } from './watched-fields.ts';

/** A run whose tasks are shown and edited. */
export type TaskRun = WatchedRun & { edit(edit: TaskEdit, agent?: string): Promise<EditReply> };

/** Which of a run's task lists is shown. */
export type UseRunTasksOptions = {
  /** Path of an agent, for its list. Default: the list of the run itself. */
  agent?: string | undefined;
};

/**
 * Edits of the list, which the model sees at its next step. Each resolves with whether it was accepted, and if not,
 * why.
 */
export type TaskActions = {
  /** At the end, or at an index from 0. */
  readonly add: (title: string, index?: number) => Promise<EditReply>;
  readonly rename: (taskId: string, title: string) => Promise<EditReply>;
  readonly remove: (taskId: string) => Promise<EditReply>;
  /** `index` is the position after the move, from 0. */
  readonly move: (taskId: string, index: number) => Promise<EditReply>;
  readonly skip: (taskId: string, reason?: string) => Promise<EditReply>;
  /** Has a finished task done again. */
  readonly retry: (taskId: string) => Promise<EditReply>;
  /** Completes a task with the user's own result. */
  readonly resolve: (taskId: string, result: string) => Promise<EditReply>;
};

/** The tasks of a run, and the edits on them. */
export type TaskListView = TaskActions & {
  /** Before the start, a list that owns its run shows the given tasks. */
  readonly tasks: readonly TaskState[];
  /** The task that the model works on, or the next one; undefined if none is left. */
  readonly current: TaskState | undefined;
  /** How many tasks are done (completed or skipped), of how many; `ratio` is from 0 to 1. */
  readonly progress: { readonly done: number; readonly total: number; readonly ratio: number };
  /** True once there are tasks and all are done. */
  readonly isComplete: boolean;
  readonly status: RunState['status'];
};

/** A task list that owns its run. */
export type OwnTaskList = TaskListView & {
  /** Starts the work on the tasks, from the first one. Resolves with the model's last text. */
  readonly start: (options?: StartOptions) => Promise<string>;
  readonly stop: () => void;
  readonly run: SharedRun<void, TextPrompt>;
};

/** The options of a task list that owns its run: those of `usePrompt`, and how to work on the tasks. */
export type UseTaskListOptions = Omit<UseInlinePromptOptions, 'watch' | 'throttle'> &
  TaskListOptions & {
    /** Defines what the model needs for all tasks: system parts, tools, messages. */
    prompt?: ((prompt: Prompt) => void | Promise<void>) | undefined;
  };

/**
 * The tasks of a run, to show and to edit while the model works on them. With tasks instead of a run, it
 * creates a run that works on them one after the other. Re-renders only when a task or the run's status
 * changes.
 * @throws CuelineError `invalid_options` for anything else than a run or a list of tasks
 *
 * @example
 * const { run } = usePrompt(moveHouse);
 * const { tasks, progress, skip } = useTaskList(run);
 * const own = useTaskList(run, { agent: agent.path });
 * @example
 * const list = useTaskList(['Find three flats', 'Write to their owners'], { model: 'openai:gpt-4o' });
 */
export function useTaskList(run: TaskRun, options?: UseRunTasksOptions): TaskListView;
export function useTaskList(
  tasks: readonly (string | TaskDefinition<Prompt>)[],
  options?: UseTaskListOptions,
): OwnTaskList;
export function useTaskList(
  source: TaskRun | readonly (string | TaskDefinition<Prompt>)[],
  { prompt: define, maxAttempts, maxNudges, agent, ...options }: UseTaskListOptions & UseRunTasksOptions = {},
): TaskListView | OwnTaskList {
  // when a run is given, this one is never started
  const planned = isRun(source) ? [] : definitionsOf(source);
  const {
    start,
    stop,
    run: own,
  } = usePrompt(
    inlinePrompt<void>('useTaskList', options.id, async (prompt) => {
      await define?.(prompt);
      // every prompt has its definitions, as the one that runPrompt returns
      if ((prompt as RunPromptResult['prompt']).definitions.messages.length === 0) {
        prompt.$`Work on the tasks, one after the other.`;
      }
      prompt.defTaskList(planned, { maxAttempts, maxNudges });
    }) as PromptDefinition<void, TextPrompt>,
    { ...options, watch: false },
  );
  const run: TaskRun = isRun(source) ? source : own;
  const { tasks: listed, status } = useRun(run, (state) => tasksOf(state, agent), isShallowEqual);
  const titles = JSON.stringify(planned.map(({ task }) => task.trim()));
  const tasks = useMemo(() => listed ?? (JSON.parse(titles) as string[]).map(pendingTask), [listed, titles]);
  const actions = useMemo(
    () => ({
      ...actionsOf(run, agent),
      ...(run === own && {
        start: (startOptions?: StartOptions) => start(undefined, startOptions),
        stop,
        run: own,
      }),
    }),
    [run, own, agent, start, stop],
  );
  return useMemo(() => ({ ...actions, ...summaryOf(tasks), tasks, status }), [actions, tasks, status]);
}

function isRun(source: TaskRun | readonly unknown[]): source is TaskRun {
  // a caller may ignore the types
  return typeof (source as Partial<TaskRun> | undefined)?.getState === 'function';
}

function definitionsOf(
  tasks: readonly (string | TaskDefinition<Prompt>)[],
): readonly TaskDefinition<Prompt>[] {
  const definitions = Array.isArray(tasks)
    ? tasks.map((task) => (typeof task === 'string' ? { task } : task))
    : [undefined];
  if (definitions.every((definition) => typeof definition?.task === 'string')) return definitions;
  throw new CuelineError('invalid_options', "useTaskList needs the run of usePrompt, or tasks: ['Pack'].");
}

/**
 * The given tasks until the run has its own; from the first step on, an empty list means that the user has emptied
 * it.
 */
function tasksOf(
  { status, agents, ...run }: RunState,
  path: string | undefined,
): { tasks: RunState['tasks'] | undefined; status: RunState['status'] } {
  const { tasks = [], steps = [] } =
    path === undefined ? run : (agents.findLast((agent) => agent.path === path) ?? {});
  return { tasks: tasks.length + steps.length > 0 ? tasks : undefined, status };
}

/** A task before the run knows it. */
function pendingTask(title: string, index: number): TaskState {
  return { id: `task-${index + 1}`, title, status: 'pending', attempts: 0, origin: 'author', seq: -1 };
}

function summaryOf(tasks: readonly TaskState[]): Pick<TaskListView, 'current' | 'progress' | 'isComplete'> {
  const { done, total } = taskProgress(tasks);
  const ratio = done / (total || 1);
  return { current: findCurrentTask(tasks), progress: { done, total, ratio }, isComplete: ratio === 1 };
}

function actionsOf(run: TaskRun, agent: string | undefined): TaskActions {
  const edit = (taskEdit: TaskEdit): Promise<EditReply> => run.edit(taskEdit, agent);
  return {
    add: (title, index) => edit({ type: 'add', title, index }),
    rename: (taskId, title) => edit({ type: 'rename', taskId, title }),
    remove: (taskId) => edit({ type: 'remove', taskId }),
    move: (taskId, index) => edit({ type: 'move', taskId, index }),
    skip: (taskId, reason) => edit({ type: 'skip', taskId, reason }),
    retry: (taskId) => edit({ type: 'retry', taskId }),
    resolve: (taskId, result) => edit({ type: 'resolve', taskId, result }),
  };
}
