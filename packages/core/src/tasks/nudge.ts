import type { TaskItem } from './task-item.ts';
import { currentTask, failedTask, isComplete, openTasks, type TaskList } from './task-list.ts';
import { allDone, attemptsOf, indent, nothingYet, positionOf, quote } from './task-text.ts';

/** How many pending tasks are listed with their titles. */
const MAX_NAMED = 10;

/** Returns the message to a model that stops while tasks are open: which tasks, and which tool to call. */
export function nudge(list: TaskList): string {
  if (isComplete(list)) return allDone;
  const current = currentTask(list);
  if (current !== undefined) return list.kind === 'static' ? finish(list, current) : complete(current);
  const failed = failedTask(list);
  if (failed !== undefined) {
    return `The task list cannot go on: ${positionOf(list, failed)} failed after ${attemptsOf(failed)}.`;
  }
  return pick(openTasks(list));
}

/** The mark and the title have a line of their own, as in the window, so that one reader can read both. */
function finish(list: TaskList, task: TaskItem): string {
  return `The task list is not complete. This task is still open:
[${positionOf(list, task)}] ${indent(task.title)}
Finish it with finishTask, and give its result.`;
}

function complete({ id, title }: TaskItem): string {
  return `The task list is not complete. ${id} is still in progress: ${quote(title)}.
Finish it with completeTask, and give its result.`;
}

function pick(open: readonly TaskItem[]): string {
  if (open.length === 0) return nothingYet;
  const named = open.slice(0, MAX_NAMED).map(({ id, title }) => `${id} ${quote(title)}`);
  const more = open.length - named.length;
  return `The task list is not complete. Still pending: ${named.join(', ')}${more === 0 ? '' : ` and ${more} more`}.
Start one with startTask and finish it with completeTask, or take it off the list with deleteTask.`;
}
