import { accept, addTaskEvent, type Decision, refuse, update } from './decision.ts';
import type { TaskItem } from './task-item.ts';
import { currentTask, findTask, isOpen, openTasks, type TaskList } from './task-list.ts';
import {
  allDone,
  notPossibleReason,
  indent,
  nameTasks,
  noSuchTask,
  nothingYet,
  oneLine,
} from './task-text.ts';

/** The model adds a task at the end of its list. */
export function createTask(list: TaskList, description: string): Decision {
  const title = description.trim();
  if (title === '') return refuse(list, 'The description is empty. Say what is to be done.');
  const added = addTaskEvent(list, title, 'model', list.items.length);
  return accept(list, [added], `Created task-${list.nextNumber}: ${title}`);
}

/** The model rewrites a pending task. */
export function updateTask(list: TaskList, taskId: string, newDescription: string): Decision {
  const task = findTask(list, taskId);
  if (task?.status !== 'pending') return refuse(list, whyNot(list, taskId, 'updated', isPending));
  const title = newDescription.trim();
  if (title === '') return refuse(list, 'The new description is empty. Say what is to be done.');
  return accept(list, [update(task, 'model', { title })], `Updated ${taskId}: ${title}`);
}

/** The model begins a pending task. It works on one task at a time. */
export function startTaskById(list: TaskList, taskId: string): Decision {
  const task = findTask(list, taskId);
  if (task?.status !== 'pending') return refuse(list, whyNot(list, taskId, 'started', isPending));
  const current = currentTask(list);
  if (current !== undefined) {
    const { id } = current;
    return refuse(
      list,
      `${taskId} cannot start while ${id} is in progress. Finish ${id} with completeTask first.`,
    );
  }
  const reply = `${taskId} started: ${task.title}\n\nCall completeTask with the result when it is done.`;
  return accept(list, [update(task, 'model', { status: 'in_progress' })], reply);
}

/** The model completes a task with a result, whether or not it had started it. Nothing validates the result. */
export function completeTask(list: TaskList, taskId: string, result: string): Decision {
  const task = findTask(list, taskId);
  if (task === undefined || !isOpen(task)) return refuse(list, whyNot(list, taskId, 'completed', isOpen));
  if (result.trim() === '') return refuse(list, 'The result is empty. Say what came of the task.');
  const decision = accept(list, [update(task, 'model', { status: 'completed', result })], '');
  const open = openTasks(decision.list);
  const rest = open.length === 0 ? allDone : `Still open: ${nameTasks(open)}.`;
  return { ...decision, reply: `✓ Task completed: ${taskId}\n\n${rest}` };
}

/** The model deletes a pending task. */
export function deleteTask(list: TaskList, taskId: string): Decision {
  const task = findTask(list, taskId);
  if (task?.status !== 'pending') return refuse(list, whyNot(list, taskId, 'deleted', isPending));
  return accept(list, [{ type: 'task-remove', taskId, by: 'model' }], `Deleted ${taskId}: ${task.title}`);
}

/** Returns every task with its status and its whole result, as the model reads it. */
export function describeTasks(list: TaskList): string {
  return list.items.length === 0 ? nothingYet : list.items.map(describe).join('\n');
}

function describe({ id, status, title, result, error }: TaskItem): string {
  const line = `${id} [${status}] ${oneLine(title)}`;
  if (result !== undefined) return `${line} → ${indent(result)}`;
  return error === undefined ? line : `${line} (${oneLine(error)})`;
}

function whyNot(
  list: TaskList,
  taskId: string,
  done: 'updated' | 'started' | 'completed' | 'deleted',
  able: (task: TaskItem) => boolean,
): string {
  const task = findTask(list, taskId);
  if (task === undefined) return noSuchTask(list, taskId);
  const others = nameTasks(list.items.filter(able));
  return `${notPossibleReason(done, task)} Tasks that can be ${done}: ${others}.`;
}

function isPending({ status }: TaskItem): boolean {
  return status === 'pending';
}
