import { findCurrentTask, type RunEvent, type TaskItem } from '@cueline/core';

type Task = Pick<TaskItem, 'id' | 'title' | 'status'>;

/** Follows the task list of a run or of an agent through the events of its log. */
export function createTaskTracker() {
  const tasks: Task[] = [];
  return {
    /** Takes the next event. */
    apply: (event: RunEvent): void => applyTo(tasks, event),
    /** The task that is worked on after the last event. */
    current: (): Task | undefined => findCurrentTask(tasks),
  };
}

/** The title of the task that an agent, or the run itself, was working on at the event `until` of a log. */
export function taskDuring(
  log: readonly RunEvent[],
  path: string | undefined,
  until: number,
): string | undefined {
  const tracker = createTaskTracker();
  for (const event of log) {
    if (event.seq > until) break;
    if (event.agent === path) tracker.apply(event);
  }
  return tracker.current()?.title;
}

function applyTo(tasks: Task[], event: RunEvent): void {
  switch (event.type) {
    case 'run-resume':
      tasks.length = 0;
      return;
    case 'task-add':
      tasks.splice(event.index, 0, { id: event.task.id, title: event.task.title, status: 'pending' });
      return;
    case 'task-update': {
      const task = tasks.find(({ id }) => id === event.taskId);
      if (task === undefined) return;
      const { title = task.title, status = task.status } = event;
      tasks.splice(tasks.indexOf(task), 1, { ...task, title, status });
      return;
    }
    case 'task-move':
    case 'task-remove': {
      const from = tasks.findIndex(({ id }) => id === event.taskId);
      const [task] = from < 0 ? [] : tasks.splice(from, 1);
      if (event.type === 'task-move' && task !== undefined) tasks.splice(event.index, 0, task);
      return;
    }
    default:
  }
}
