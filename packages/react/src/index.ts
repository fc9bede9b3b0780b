'use client';

export {
  usePrompt,
  type PromptRun,
  type RunActions,
  type UseInlinePromptOptions,
  type UsePromptOptions,
} from './use-prompt.ts';
export { useRetryCountdown } from './use-retry-countdown.ts';
export { useRun } from './use-run.ts';
export { useRunSuspense, type RunPoint } from './use-run-suspense.ts';
export { useTask } from './use-task.ts';
export {
  useTaskList,
  type OwnTaskList,
  type TaskListView,
  type TaskActions,
  type TaskRun,
  type UseRunTasksOptions,
  type UseTaskListOptions,
} from './use-task-list.ts';
export { PromptProvider, type PromptProviderProps } from './prompt-provider.ts';
export { createRunRegistry, type RunRegistry, type RunRegistryOptions } from './run-registry.ts';
export type { AnyRun, RunConfig, SharedRun } from './shared-run.ts';
export type { Throttle, WatchedRun } from './subscribe-throttled.ts';
export type { RunCallbacks } from './use-run-callbacks.ts';
export type { Watch, WatchedField, WatchedState } from './watched-fields.ts';
