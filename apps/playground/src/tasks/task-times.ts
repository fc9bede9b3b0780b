import { findCurrentTask, type TaskState } from '@cueline/core';

/**
 * The task that the model works on. In a list of the author it is the first open task, even before the model
 * has called a tool for it, because such a list is done in order. In a list of the model it is the task that
 * the model has started.
 */
export function currentTaskOf(tasks: readonly TaskState[]): TaskState | undefined {
  const current = findCurrentTask(tasks);
  if (current?.status !== 'pending') return current;
  if (!isInOrder(tasks) || tasks.some(({ status }) => status === 'failed')) return undefined;
  return current;
}

/**
 * When the work on each task began, by its id, in milliseconds since the run started: in a list that is done in order,
 * as soon as the task before was over. `begunAt` is the start of the first step. Tasks that have not begun are missing.
 */
export function taskStarts(
  tasks: readonly TaskState[],
  begunAt: number | undefined,
): ReadonlyMap<string, number> {
  const currentId = currentTaskOf(tasks)?.id;
  const widens = begunAt !== undefined && isInOrder(tasks);
  const ends = tasks.flatMap(({ finishedAt }) => finishedAt ?? []).toSorted((a, b) => a - b);
  const starts = new Map<string, number>();
  for (const { id, startedAt } of tasks) {
    if (startedAt === undefined && id !== currentId) continue;
    const limit = startedAt ?? Infinity;
    const start = widens ? Math.min(limit, Math.max(begunAt, lastUpTo(ends, limit))) : startedAt;
    if (start !== undefined) starts.set(id, start);
  }
  return starts;
}

/** The last of these sorted times that is not after `limit`; 0 if there is none. */
function lastUpTo(times: readonly number[], limit: number): number {
  let [low, high] = [0, times.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (times[middle]! <= limit) low = middle + 1;
    else high = middle;
  }
  return times[low - 1] ?? 0;
}

function isInOrder(tasks: readonly TaskState[]): boolean {
  return tasks.some(({ origin }) => origin === 'author');
}
