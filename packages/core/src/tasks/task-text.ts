import type { TaskItem, TaskStatus } from './task.ts';
import type { TaskList } from './task-list.ts';

/** How much of a title a sentence quotes, in characters. */
const LONGEST_QUOTE = 100;
/** How much of a result a summary quotes, in characters. */
const LONGEST_RESULT = 500;
/** How many ids a sentence names. */
const MOST_NAMED = 20;

/** A text on one line. */
export function oneLine(text: string): string {
  return withoutMarks(text).replace(/\s+/g, ' ').trim();
}

/** A text whose further lines stand further in, without blank lines, so that it stays one entry of a list. */
export function indent(text: string): string {
  const lines = withoutMarks(text.trim()).split(/\r\n?|[\n\u2028\u2029]/);
  return lines
    .map((line) => line.trimEnd())
    .filter((line) => line !== '')
    .join('\n   ');
}

/** A title as a sentence names it. */
export function quote(title: string): string {
  return `“${oneLine(cut(title, LONGEST_QUOTE))}”`;
}

/** A result as a summary quotes it: the beginning, and how much there is, where it is long. */
export function summarize(result: string): string {
  if (result.length <= LONGEST_RESULT) return result;
  return `${cut(result, LONGEST_RESULT)} (cut: ${result.length} characters in all)`;
}

/** Where a task stands: `Task 2/3`. */
export function positionOf(list: TaskList, task: TaskItem): string {
  return `Task ${list.items.findIndex(({ id }) => id === task.id) + 1}/${list.items.length}`;
}

/** Ids for a sentence: all of them, or the first and how many more there are. */
export function nameTasks(items: readonly TaskItem[]): string {
  if (items.length === 0) return 'none';
  const named = items.slice(0, MOST_NAMED).map(({ id }) => id);
  const more = items.length - named.length;
  return named.join(', ') + (more === 0 ? '' : ` and ${more} more`);
}

/** What is said of an id that no task has. */
export function noSuchTask(list: TaskList, taskId: string): string {
  const known = list.items.length === 0 ? 'The list is empty.' : `The list has: ${nameTasks(list.items)}.`;
  return `There is no task ${quote(taskId)}. ${known}`;
}

/** "1 attempt", "2 attempts". */
export function attemptsOf({ attempts }: TaskItem): string {
  return attempts === 1 ? '1 attempt' : `${attempts} attempts`;
}

/** What is said once nothing is left to do. */
export const allDone = 'All tasks are completed. Give your final answer.';

/** What is said of a list of the model's own while nothing is on it. */
export const nothingYet = 'The task list is empty. Create a task with createTask.';

/** How a task stands, as a sentence about it goes on. */
export const standing: Readonly<Record<TaskStatus, string>> = {
  pending: 'is pending',
  in_progress: 'is in progress',
  validating: 'is being validated',
  completed: 'is completed',
  failed: 'has failed',
  skipped: 'was skipped',
};

/** Why a task cannot be renamed, started, … */
export function notPossibleReason(done: string, { id, status }: TaskItem): string {
  return done === status
    ? `${id} ${standing[status]} already.`
    : `${id} ${standing[status]} and cannot be ${done}.`;
}

// A model repeats the mark of the task that it is about. In a summary it would pass for the mark of the current one.
function withoutMarks(text: string): string {
  return text.replace(/\[(Task \d+\/\d+)\]/g, '$1');
}

function cut(text: string, longest: number): string {
  if (text.length <= longest) return text;
  // Half a surrogate pair is no text that a provider would take.
  const start = text.slice(0, longest).replace(/[\uD800-\uDBFF]$/, '');
  return `${start.trimEnd()}…`;
}
