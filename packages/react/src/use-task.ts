import type { TaskState } from '@cueline/core';
import type { WatchedRun } from './subscribe-throttled.ts';
import { useRun } from './use-run.ts';

/** One task of a run's list; undefined if the list has no task of this id. Re-renders only when this task changes. */
export function useTask(run: WatchedRun, taskId: string): TaskState | undefined {
  return useRun(run, (state) => state.tasks.find(({ id }) => id === taskId));
}
