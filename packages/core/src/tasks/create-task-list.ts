import { accept, type Decision, refuse } from './decision.ts';
import type { TaskEvent } from './task-item.ts';
import type { TaskList } from './task-list.ts';

/** The settings of a new task list. */
export type TaskListSettings = {
  kind: TaskList['kind'];
  /** The author's tasks, in order. A dynamic list may begin without any. */
  titles: readonly string[];
  /** The indexes of tasks with a validation. Default: none. */
  validated?: ReadonlySet<number>;
  maxAttempts: number;
};

/** Creates a list, with the events that fill it. Refused, with the reason as reply, if the settings make no sense. */
export function createTaskList({ kind, titles, validated, maxAttempts }: TaskListSettings): Decision {
  const empty: TaskList = { kind, items: [], nextNumber: 1, maxAttempts };
  if (kind === 'static' && titles.length === 0) {
    return refuse(empty, 'The task list is empty. Give it at least one task.');
  }
  const blank = titles.findIndex((title) => title.trim() === '');
  if (blank >= 0) return refuse(empty, `Task ${blank + 1} has no text. Say what is to be done.`);
  if (!Number.isInteger(maxAttempts) || maxAttempts < 1) {
    return refuse(empty, `maxAttempts is ${maxAttempts}. Give a whole number of at least 1.`);
  }
  const events = titles.map((title, index): TaskEvent => {
    const task = { id: `task-${index + 1}`, title: title.trim(), origin: 'author' as const };
    const hasValidation = validated?.has(index) === true ? { hasValidation: true as const } : {};
    return { type: 'task-add', task: { ...task, ...hasValidation }, index };
  });
  return accept(empty, events, '');
}
