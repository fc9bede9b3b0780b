import { plural } from '../base/plural.ts';
import { shorten } from '../base/quote-value.ts';
import type { TaskItem, TaskStatus } from './task-item.ts';
import type { TaskList } from './task-list.ts';

/** The maximum length of a quoted title, in characters. */
const MAX_QUOTE_LENGTH = 100;
/** The maximum length of a quoted result, in characters. */
const MAX_RESULT_LENGTH = 500;
/** The maximum length of a result that later tasks may need, in characters. */
const MAX_NEEDED_LENGTH = 10_000;
/** The maximum number of tasks in a sentence. */
const MAX_NAMED = 20;

/** Returns a text on one line. */
export function oneLine(text: string): string {
  return withoutMarks(text).replace(/\s+/g, ' ').trim();
}

/** Returns a text with its further lines indented and without blank lines, so that it stays one item of a list. */
export function indent(text: string): string {
  const lines = withoutMarks(text.trim()).split(/\r\n?|[\n\u2028\u2029]/);
  return lines
    .map((line) => line.trimEnd())
    .filter((line) => line !== '')
    .join('\n   ');
}

/** Returns a title in quotes for a sentence. */
export function quote(title: string): string {
  return `“${oneLine(shorten(title, MAX_QUOTE_LENGTH))}”`;
}

/** Returns a result for a sentence; of a long one its beginning and its length. */
export function summarize(result: string, longest: number = MAX_RESULT_LENGTH): string {
  if (result.length <= longest) return result;
  return `${shorten(result, longest)} (cut: ${result.length} characters in all)`;
}

/** Returns a result for the tasks after it, which have no other way to read it. Only a very long one is cut. */
export function resultForTasks(result: string): string {
  return summarize(result, MAX_NEEDED_LENGTH);
}

/** Returns the position of a task: `Task 2/3`. */
export function positionOf(list: TaskList, task: TaskItem): string {
  return `Task ${list.items.findIndex(({ id }) => id === task.id) + 1}/${list.items.length}`;
}

/** Returns ids, or other names, for a sentence: all of them, or the first ones and the number of the others. */
export function nameTasks(
  items: readonly TaskItem[],
  nameOf: (item: TaskItem) => string = ({ id }) => id,
): string {
  if (items.length === 0) return 'none';
  const named = items.slice(0, MAX_NAMED).map(nameOf);
  const more = items.length - named.length;
  return named.join(', ') + (more === 0 ? '' : ` and ${more} more`);
}

/** Returns the reply for an unknown id. */
export function noSuchTask(list: TaskList, taskId: string): string {
  const known = list.items.length === 0 ? 'The list is empty.' : `The list has: ${nameTasks(list.items)}.`;
  return `There is no task ${quote(taskId)}. ${known}`;
}

/** "1 attempt", "2 attempts". */
export function attemptsOf({ attempts }: TaskItem): string {
  return plural(attempts, 'attempt');
}

/** The reply if nothing is left to do. */
export const allDone = 'All tasks are completed. Give your final answer.';

/** The reply for an empty list of the model's own. */
export const nothingYet = 'The task list is empty. Create a task with createTask.';

/** A task's status as a part of a sentence. */
export const statusPhrases: Readonly<Record<TaskStatus, string>> = {
  pending: 'is pending',
  in_progress: 'is in progress',
  validating: 'is being validated',
  completed: 'is completed',
  failed: 'has failed',
  skipped: 'was skipped',
};

/** Returns why a task cannot be renamed, started and so on. */
export function notPossibleReason(done: string, { id, status }: TaskItem): string {
  return done === status
    ? `${id} ${statusPhrases[status]} already.`
    : `${id} ${statusPhrases[status]} and cannot be ${done}.`;
}

// a model repeats the mark of its task; in a summary it would look like the mark of the current one
function withoutMarks(text: string): string {
  return text.replace(/\[(Task \d+\/\d+)\]/g, '$1');
}
