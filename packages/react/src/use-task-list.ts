import {
  findCurrentTask,
  taskProgress,
  type EditReply,
  type Prompt,
  type PromptDefinition,
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

/** Which of a run's lists is shown. */
export type UseRunTasksOptions = {
  /** Path of an agent, for its list. Default: the list of the run itself. */
  agent?: string | undefined;
};

/**
 * Changes to the list, which the model sees at its next step. Each resolves with whether it was made, and if not, why.
 */
export type TaskActions = {
  /** At the end, or at a place of the list, from 0. */
  readonly add: (title: string, index?: number) => Promise<EditReply>;
  readonly rename: (taskId: string, title: string) => Promise<EditReply>;
  readonly remove: (taskId: string) => Promise<EditReply>;
  /** `index` is the place after the move, from 0. */
  readonly move: (taskId: string, index: number) => Promise<EditReply>;
  readonly skip: (taskId: string, reason?: string) => Promise<EditReply>;
  /** Has a task done again that has ended. */
  readonly retry: (taskId: string) => Promise<EditReply>;
  /** Completes a task with the user's own result. */
  readonly resolve: (taskId: string, result: string) => Promise<EditReply>;
};

/** A run's tasks, as they stand. */
export type TaskListView = TaskActions & {
  /** Before its start, a list that owns its run has the tasks that it was given. */
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
  /** Starts the work on the tasks, from the first on. Resolves with the model's last words. */
  readonly start: (options?: StartOptions) => Promise<string>;
  readonly stop: () => void;
  readonly run: SharedRun<void, TextPrompt>;
};

/** What a task list that owns its run takes: what `usePrompt` takes, and how the tasks are to be worked on. */
export type UseTaskListOptions = Omit<UseInlinePromptOptions, 'watch' | 'throttle'> &
  TaskListOptions & {
    /** Says what the model needs to know for all tasks: system parts, tools, messages. */
    prompt?: ((prompt: Prompt) => void | Promise<void>) | undefined;
  };

/**
 * The tasks of a run, to show and to edit while the model works on them. Given tasks instead of a run, it makes a run
 * that works on them one after the other. Re-renders only when a task or the run's status changes.
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
  given: TaskRun | readonly (string | TaskDefinition<Prompt>)[],
  { prompt: define, maxAttempts, maxNudges, agent, ...options }: UseTaskListOptions & UseRunTasksOptions = {},
): TaskListView | OwnTaskList {
  // where a run is given, this one is never started
  const planned =
    'getState' in given ? [] : given.map((task) => (typeof task === 'string' ? { task } : task));
  const {
    start,
    stop,
    run: own,
  } = usePrompt(
    inlinePrompt<void>('useTaskList', options.id, async (prompt) => {
      await define?.(prompt);
      if (prompt.definitions.messages.length === 0) prompt.$`Work on the tasks, one after the other.`;
      prompt.defTaskList(planned, {
        ...(maxAttempts !== undefined && { maxAttempts }),
        ...(maxNudges !== undefined && { maxNudges }),
      });
    }) as PromptDefinition<void, TextPrompt>,
    { ...options, watch: false },
  );
  const run: TaskRun = 'getState' in given ? given : own;
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

/** No tasks until the run knows any; from the first step on, an empty list is one that the user has emptied. */
function tasksOf(
  { status, agents, ...run }: RunState,
  path: string | undefined,
): { tasks: RunState['tasks'] | undefined; status: RunState['status'] } {
  const { tasks = [], steps = [] } =
    path === undefined ? run : (agents.findLast((agent) => agent.path === path) ?? {});
  return { tasks: tasks.length + steps.length > 0 ? tasks : undefined, status };
}

/** A task of which no run knows yet, as it will be. */
function pendingTask(title: string, index: number): TaskState {
  return { id: `task-${index + 1}`, title, status: 'pending', attempts: 0, origin: 'author', seq: -1 };
}

function summaryOf(tasks: readonly TaskState[]): Pick<TaskListView, 'current' | 'progress' | 'isComplete'> {
  const { done, total } = taskProgress(tasks);
  return {
    current: findCurrentTask(tasks),
    progress: { done, total, ratio: total === 0 ? 0 : done / total },
    isComplete: total > 0 && done === total,
  };
}

function actionsOf(run: TaskRun, agent: string | undefined): TaskActions {
  const edit = (given: TaskEdit): Promise<EditReply> => run.edit(given, agent);
  return {
    add: (title, index) => edit({ type: 'add', title, ...(index !== undefined && { index }) }),
    rename: (taskId, title) => edit({ type: 'rename', taskId, title }),
    remove: (taskId) => edit({ type: 'remove', taskId }),
    move: (taskId, index) => edit({ type: 'move', taskId, index }),
    skip: (taskId, reason) => edit({ type: 'skip', taskId, ...(reason !== undefined && { reason }) }),
    retry: (taskId) => edit({ type: 'retry', taskId }),
    resolve: (taskId, result) => edit({ type: 'resolve', taskId, result }),
  };
}
