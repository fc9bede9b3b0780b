import { taskProgress, type TaskEdit, type TaskState, type TaskStatus } from '@cueline/core';
import { spokenText } from '../ui/spoken-text.ts';

/** A task's status, in the words of the interface. */
export const statusLabel: Readonly<Record<TaskStatus, string>> = {
  pending: 'Open',
  in_progress: 'In progress',
  validating: 'Being checked',
  completed: 'Done',
  failed: 'Failed',
  skipped: 'Skipped',
};

/** The last change of a list, in a sentence for screen readers; empty without a list. */
export function taskAnnouncement(tasks: readonly TaskState[]): string {
  const latest = tasks.reduce<TaskState | undefined>(
    (before, task) => (before === undefined || task.seq > before.seq ? task : before),
    undefined,
  );
  if (latest === undefined) return '';
  const { done, total } = taskProgress(tasks);
  const what =
    isRefused(latest) && latest.status !== 'failed' ? 'Not accepted yet' : statusLabel[latest.status];
  return `${what}: ${spokenText(latest.title).slice(0, 120)}. ${done} of ${total} tasks done.`;
}

/** True for a task whose last result was not accepted, and that has no other yet. */
export function isRefused({ attempts, status, error }: TaskState): boolean {
  return attempts > 0 && error !== undefined && (status === 'in_progress' || status === 'failed');
}

/** How many results the model gave, the accepted one included; 0 if none was refused. */
export function attemptCount({ attempts, status }: TaskState): number {
  return attempts > 0 && status === 'completed' ? attempts + 1 : attempts;
}

/** The edits that make sense for a task's status. The list itself decides. */
export const possibleEdits: Readonly<
  Record<TaskStatus, readonly Extract<TaskEdit['type'], 'rename' | 'skip' | 'retry' | 'remove'>[]>
> = {
  pending: ['rename', 'skip', 'remove'],
  in_progress: ['rename', 'skip'],
  validating: [],
  completed: ['retry'],
  failed: ['retry', 'skip'],
  skipped: ['retry'],
};
