import type { TaskItem } from './task-item.ts';
import { currentTask, failedTask, isComplete, isOpen, type TaskList } from './task-list.ts';
import { isTaskDone } from './task-status.ts';
import { allDone, attemptsOf, indent, oneLine, positionOf, resultForTasks } from './task-text.ts';

/**
 * Returns the list as the model reads it before a step: done tasks, the current task, the next ones, and the user's
 * changes (`edits`, the replies of accepted edits). Undefined for an empty list.
 */
export function renderWindow(
  list: TaskList,
  { edits }: { readonly edits: readonly string[] },
): string | undefined {
  const current = currentTask(list);
  const entries = list.items.map((task, index) => ({ task, mark: entryMark(list, task, index) }));
  const done = entries.filter(({ task }) => isTaskDone(task));
  const next = entries.filter(({ task }) => isOpen(task) && task !== current);
  const sections = [
    section(
      'Completed tasks:',
      done.map(({ task, mark }) => `${mark}${outcome(task)}`),
    ),
    middle(list, current),
    section(
      list.kind === 'static' ? 'Upcoming tasks:' : 'Pending tasks:',
      next.map(({ task, mark }) => `${mark}${oneLine(task.title)}`),
    ),
    section(
      'Changes by the user:',
      edits.map((edit) => `- ${oneLine(edit)}`),
    ),
  ].filter((text) => text !== '');
  return sections.length === 0 ? undefined : sections.join('\n\n');
}

/** Returns a number if the order counts, or an id if the model's tools need it. */
function entryMark({ kind }: TaskList, { id }: TaskItem, index: number): string {
  return kind === 'static' ? `${index + 1}. ` : `- ${id}: `;
}

function section(heading: string, lines: readonly string[]): string {
  return lines.length === 0 ? '' : [heading, ...lines].join('\n');
}

function outcome({ title, status, result, error }: TaskItem): string {
  const what = oneLine(title);
  if (status === 'skipped') return `${what} (skipped${error === undefined ? '' : `: ${oneLine(error)}`})`;
  return result === undefined || result.trim() === '' ? what : `${what} → ${indent(resultForTasks(result))}`;
}

function middle(list: TaskList, current: TaskItem | undefined): string {
  if (isComplete(list)) return allDone;
  if (current !== undefined) {
    const mark = list.kind === 'static' ? `[${positionOf(list, current)}]` : `Current task: [${current.id}]`;
    return `${mark} ${indent(current.title)}${why('Your last result was not accepted', current)}`;
  }
  const failed = failedTask(list);
  if (failed === undefined) return '';
  const what = `${positionOf(list, failed)} failed after ${attemptsOf(failed)}: ${oneLine(failed.title)}`;
  return what + why('The last result was not accepted', failed);
}

function why(sentence: string, { error }: TaskItem): string {
  return error === undefined ? '' : `\n${sentence}: ${indent(error)}`;
}
