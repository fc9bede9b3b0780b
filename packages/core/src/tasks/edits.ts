import { accept, addTaskEvent, type Decision, refuse, update } from './decision.ts';
import { editFault } from './edit-fault.ts';
import type { TaskEdit, TaskEvent, TaskItem, TaskStatus } from './task-item.ts';
import { findTask, isOpen, isInProgress, type TaskList } from './task-list.ts';
import { notPossibleReason, noSuchTask, oneLine, quote, summarize } from './task-text.ts';

type EditOf<Type extends TaskEdit['type']> = Extract<TaskEdit, { type: Type }>;

/**
 * The statuses in which an edit is possible, and its effect in a word. A validation may hang, so a task in validation
 * can be skipped or resolved; the validation's verdict is not used then.
 */
const possible: Readonly<
  Record<Exclude<TaskEdit['type'], 'add'>, { from: readonly TaskStatus[]; done: string }>
> = {
  rename: { from: ['pending', 'in_progress'], done: 'renamed' },
  remove: { from: ['pending'], done: 'removed' },
  move: { from: ['pending'], done: 'moved' },
  skip: { from: ['pending', 'in_progress', 'validating', 'failed'], done: 'skipped' },
  retry: { from: ['completed', 'failed', 'skipped'], done: 'retried' },
  resolve: { from: ['pending', 'in_progress', 'validating', 'failed'], done: 'resolved' },
};

/**
 * Applies an edit of a user, at any moment. The reply is the reason for a refusal, with what is possible instead, or
 * one line that tells the model about the edit.
 */
export function editTasks(list: TaskList, edit: TaskEdit): Decision {
  const fault = editFault(edit);
  if (fault !== undefined) return refuse(list, fault);
  if (edit.type === 'add') return addTask(list, edit);
  const task = findTask(list, edit.taskId);
  if (task === undefined) return refuse(list, noSuchTask(list, edit.taskId));
  if (!possible[edit.type].from.includes(task.status)) return refuse(list, notPossibleReply(task, edit.type));
  switch (edit.type) {
    case 'rename':
      return rename(list, task, edit.title.trim());
    case 'remove':
      return remove(list, task);
    case 'move':
      return move(list, task, edit.index);
    case 'skip':
      return skip(list, task, edit.reason?.trim() ?? '');
    case 'retry':
      return retry(list, task);
    case 'resolve':
      return accept(
        list,
        [update(task, 'user', { status: 'completed', result: edit.result, error: null })],
        `The user completed ${name(task)} with the result: ${oneLine(summarize(edit.result))}`,
      );
  }
}

function addTask(list: TaskList, { title, index = list.items.length }: EditOf<'add'>): Decision {
  const outside = invalidPositionReason(list.kind, list.items, index);
  if (outside !== undefined) return refuse(list, outside);
  const added = addTaskEvent(list, title.trim(), 'user', index);
  const what = `task-${list.nextNumber} ${quote(title)}`;
  return accept(list, [added], `The user added ${what}${neighbor(list.items, index)}.`);
}

function rename(list: TaskList, task: TaskItem, title: string): Decision {
  if (title === task.title) return refuse(list, `${task.id} has this title already.`);
  const renamed = update(task, 'user', { title });
  return accept(list, [renamed], `The user renamed ${name(task)} to ${quote(title)}.`);
}

function remove(list: TaskList, task: TaskItem): Decision {
  if (list.kind === 'static' && list.items.length === 1) {
    return refuse(
      list,
      `${task.id} is the only task, and a list needs one. Rename it, skip it or resolve it.`,
    );
  }
  const removed: TaskEvent = { type: 'task-remove', taskId: task.id, by: 'user' };
  return accept(list, [removed], `The user removed ${name(task)}.`);
}

function move(list: TaskList, task: TaskItem, index: number): Decision {
  const others = list.items.filter(({ id }) => id !== task.id);
  const outside = invalidPositionReason(list.kind, others, index);
  if (outside !== undefined) return refuse(list, outside);
  if (list.items[index] === task) return refuse(list, `${task.id} is at index ${index} already.`);
  const moved: TaskEvent = { type: 'task-move', taskId: task.id, index, by: 'user' };
  return accept(list, [moved], `The user moved ${name(task)}${neighbor(others, index)}.`);
}

function skip(list: TaskList, task: TaskItem, reason: string): Decision {
  const skipped = update(task, 'user', {
    status: 'skipped',
    error: reason === '' ? null : reason,
    // no validation has accepted it
    ...(task.status === 'validating' ? { result: null } : {}),
  });
  const why = reason === '' ? '.' : `: ${oneLine(reason)}`;
  return accept(list, [skipped], `The user skipped ${name(task)}${why}`);
}

function retry(list: TaskList, task: TaskItem): Decision {
  const again = update(task, 'user', { status: 'pending', attempts: 0, result: null, error: null });
  const wanted = `The user wants ${name(task)} to be done again.`;
  const after = list.items.slice(list.items.indexOf(task) + 1);
  const later = list.kind === 'static' ? after.find(isInProgress) : undefined;
  if (later === undefined) return accept(list, [again], wanted);
  // a static list is worked on in order, so a task in progress behind this one has to wait
  if (later.status === 'validating') {
    return refuse(
      list,
      `${task.id} cannot be retried while ${later.id} is being validated. Wait until that is over, or skip or resolve ${later.id}.`,
    );
  }
  const waiting = update(later, 'user', { status: 'pending' });
  return accept(list, [waiting, again], `${wanted} ${name(later)} waits until then.`);
}

/** Returns why no pending task can be at this position; undefined if one can. */
function invalidPositionReason(
  kind: TaskList['kind'],
  items: readonly TaskItem[],
  index: number,
): string | undefined {
  const first = kind === 'static' ? firstFreePosition(items) : 0;
  if (index >= first && index <= items.length) return undefined;
  const why =
    index >= 0 && index < first ? 'is before a task that is finished or in progress' : 'is outside the list';
  return `Index ${index} ${why}. The index can be ${first === items.length ? first : `${first} to ${items.length}`}.`;
}

/**
 * Returns the first position behind the done and current tasks at the front. Skipped or resolved tasks further back
 * do not matter.
 */
function firstFreePosition(items: readonly TaskItem[]): number {
  const index = items.findIndex(isOpen);
  const task = items[index];
  if (task === undefined) return items.length;
  return isInProgress(task) ? index + 1 : index;
}

function notPossibleReply(task: TaskItem, type: keyof typeof possible): string {
  const why = notPossibleReason(possible[type].done, task);
  const instead = Object.values(possible).filter(({ from }) => from.includes(task.status));
  const words = instead.map(({ done }) => done);
  const wait = task.status === 'validating' ? ' Wait until that is over.' : '';
  return `${why}${wait} It can be ${words.join(', ').replace(/, (?=[^,]*$)/, ' or ')}.`;
}

function neighbor(others: readonly TaskItem[], index: number): string {
  const before = others[index - 1];
  if (before !== undefined) return ` after ${before.id}`;
  return others[0] === undefined ? '' : ` before ${others[0].id}`;
}

function name(task: TaskItem): string {
  return `${task.id} ${quote(task.title)}`;
}
