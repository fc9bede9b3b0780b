import { accept, type Decision, refuse, update } from './decision.ts';
import type { TaskItem } from './task-item.ts';
import { currentTask, failedTask, findTask, type TaskList } from './task-list.ts';
import { allDone, attemptsOf, positionOf, quote, statusPhrases } from './task-text.ts';

/** The model begins the current task and reads its title. */
export function startTask(list: TaskList): Decision {
  const task = currentTask(list);
  if (task === undefined) return refuse(list, nothingToDo(list));
  if (task.status === 'validating') return refuse(list, alreadyValidating(list, task));
  if (task.status === 'in_progress') {
    return refuse(list, `${positionOf(list, task)} is already started: ${brief(task)}`);
  }
  const started = update(task, 'model', { status: 'in_progress' });
  return accept(list, [started], `${positionOf(list, task)} started: ${brief(task)}`);
}

/**
 * The model works, which begins the current task if it has not begun. There is no reply, because the tool has its
 * own.
 */
export function touchTask(list: TaskList): Decision {
  const task = currentTask(list);
  if (task?.status !== 'pending') return refuse(list, '');
  return accept(list, [update(task, 'model', { status: 'in_progress' })], '');
}

/**
 * The model returns a result. If it is accepted, `validate` is the id of the task whose result must be validated, and
 * {@link settleTask} follows; until then there is no reply. `taskId` is the task of the result, if known: the list
 * may have changed while the model worked.
 */
export function finishTask(
  list: TaskList,
  result: string,
  taskId?: string,
): Decision & { validate?: string } {
  const task = currentTask(list);
  if (task === undefined) return refuse(list, nothingToDo(list));
  if (taskId !== undefined && taskId !== task.id) return refuse(list, outdated(list, taskId, task));
  if (task.status === 'validating') return refuse(list, alreadyValidating(list, task));
  const started = touchTask(list);
  const validating = update(task, 'model', { status: 'validating', result });
  return { ...accept(list, [...started.events, validating], ''), validate: task.id };
}

/**
 * Applies the verdict of a validation: `undefined` for a good result, otherwise what is wrong with it. `thrown` is
 * true if the validation threw it.
 */
export function settleTask(
  list: TaskList,
  taskId: string,
  feedback: string | undefined,
  thrown?: true,
): Decision {
  const task = findTask(list, taskId);
  if (task === undefined) return refuse(list, 'The task was taken off the list. Its result was not used.');
  if (task.status !== 'validating') {
    return refuse(
      list,
      `The result was not used, because ${quote(task.title)} ${statusPhrases[task.status]}.`,
    );
  }
  return feedback === undefined ? complete(list, task) : refuseResult(list, task, feedback, thrown);
}

function complete(list: TaskList, task: TaskItem): Decision {
  const decision = accept(list, [update(task, 'author', { status: 'completed', error: null })], '');
  const next = currentTask(decision.list);
  const reply =
    next === undefined
      ? '✓ All tasks completed successfully! The task list is complete.'
      : `✓ Task completed successfully!\n\nNext task: ${next.title}`;
  return { ...decision, reply };
}

function refuseResult(list: TaskList, task: TaskItem, feedback: string, thrown?: true): Decision {
  const error = feedback.trim() === '' ? 'No reason was given.' : feedback;
  const attempts = task.attempts + 1;
  const status = attempts >= list.maxAttempts ? 'failed' : 'in_progress';
  const refused = update(task, 'author', {
    status,
    attempts,
    result: null,
    error,
    ...(thrown === undefined ? {} : { thrown }),
  });
  const advice =
    status === 'failed'
      ? failure(list, { ...task, attempts })
      : 'Please review the task and provide a corrected result.';
  return accept(list, [refused], `Validation failed: ${error}\n\n${advice}`);
}

/** Returns the whole task, with what was wrong with its last result. */
function brief({ title, error }: TaskItem): string {
  const last = error === undefined ? '' : `\n\nYour last result was not accepted: ${error}`;
  return `${title}${last}\n\nCall finishTask with the result when it is done.`;
}

function outdated(list: TaskList, taskId: string, current: TaskItem): string {
  const task = findTask(list, taskId);
  const why =
    task === undefined
      ? 'its task was taken off the list'
      : `${quote(task.title)} ${statusPhrases[task.status]}`;
  return `This result was not used, because ${why}.\n\nNext task: ${current.title}`;
}

function alreadyValidating(list: TaskList, task: TaskItem): string {
  return `The result of ${positionOf(list, task)} is being validated. Wait for what comes of it.`;
}

function nothingToDo(list: TaskList): string {
  const failed = failedTask(list);
  if (failed !== undefined) return failure(list, failed);
  return allDone;
}

function failure(list: TaskList, task: TaskItem): string {
  return `${positionOf(list, task)} failed after ${attemptsOf(task)}: ${quote(task.title)}. The task list cannot continue.`;
}
