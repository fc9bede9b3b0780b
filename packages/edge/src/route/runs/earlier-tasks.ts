import type { RunEvent, RunRequest, TaskItem } from '@cueline/core';
import { applyTaskEvent, canonicalCall } from '@cueline/core/server';
import { eventsOf } from '../../stores/event-batch.ts';
import type { ReachedRun } from './runs.ts';

type Start = Pick<RunRequest, 'definition' | 'input'>;

/** The tasks of a run according to the server's own log. */
type TaskRecord = {
  /** Their final states. */
  items: readonly TaskItem[];
  /** All ended states of each of the author's tasks, by id. */
  ended: ReadonlyMap<string, readonly TaskItem[]>;
};

/** How long reading the log of the run before may take, in milliseconds. That run has ended, or is about to. */
const READ_MS = 2_000;
/** The maximum length of a task's texts, in characters. */
const MAX_TEXT_LENGTH = 10_000;

/**
 * Returns the tasks with which a turn begins, from those that the client claims for the turn before. A claim about
 * the author's tasks only counts if the server's log of that run confirms it. Without such a log, or with one of
 * another prompt or input, the author's tasks begin anew.
 */
export async function earlierTasks(
  claimed: readonly TaskItem[],
  previous: ReachedRun | undefined,
  start: Start,
): Promise<TaskItem[]> {
  const own = claimed.filter(({ origin }) => origin !== 'author').map(plainTask);
  if (own.length === claimed.length) return own;
  const record = previous === undefined ? undefined : await readRecord(previous, start);
  if (record === undefined) return own;
  const known = record.items.flatMap((task): TaskItem[] => {
    const claim = claimed.find(({ id }) => id === task.id);
    if (task.origin !== 'author')
      return claim === undefined ? [] : [{ ...plainTask(claim), origin: task.origin }];
    return [claim === undefined ? task : provenTask(task, claim, record)];
  });
  const ids = new Set(record.items.map(({ id }) => id));
  return [...known, ...own.filter(({ id }) => !ids.has(id))];
}

/** Returns an author's task as the client claims it, if it has been in that state; otherwise its final state. */
function provenTask(task: TaskItem, claim: TaskItem, { ended }: TaskRecord): TaskItem {
  if (!hasEnded(claim)) return { ...withoutEnd(task), status: 'pending', attempts: 0 };
  const same = ended
    .get(task.id)
    ?.findLast(({ status, result }) => status === claim.status && result === claim.result);
  return same ?? task;
}

async function readRecord(run: ReachedRun, start: Start): Promise<TaskRecord | undefined> {
  let items: readonly TaskItem[] = [];
  const ended = new Map<string, TaskItem[]>();
  for await (const event of eventsSoFar(run)) {
    // a result that was accepted for another input proves nothing for this one
    if (event.type === 'run-start' && !isSameStart(event, start)) return undefined;
    if (event.agent !== undefined || !isTaskEvent(event)) continue;
    items = applyTaskEvent(items, event);
    const task = event.type === 'task-update' ? items.find(({ id }) => id === event.taskId) : undefined;
    if (task?.origin !== 'author' || !hasEnded(task)) continue;
    ended.set(task.id, [...(ended.get(task.id) ?? []), task]);
  }
  return items.some(({ origin }) => origin === 'author') ? { items, ended } : undefined;
}

/** Yields the existing events; if the next one takes too long, those before it. */
async function* eventsSoFar(run: ReachedRun): AsyncGenerator<RunEvent, void> {
  const events = eventsOf(run.events(-1))[Symbol.asyncIterator]();
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => resolve(undefined), READ_MS);
  });
  try {
    for (;;) {
      const next = await Promise.race([events.next(), late]);
      if (next === undefined || next.done === true) return;
      yield next.value;
    }
  } finally {
    clearTimeout(timer);
    (async () => events.return?.())().catch(() => {});
  }
}

function isSameStart(
  { name, input }: Extract<RunEvent, { type: 'run-start' }>,
  { definition, input: runInput }: Start,
): boolean {
  return name === definition.name && canonicalCall('', input) === canonicalCall('', runInput);
}

function isTaskEvent(event: RunEvent): event is Extract<RunEvent, { type: `task-${string}` }> {
  return event.type.startsWith('task-');
}

function hasEnded({ status }: TaskItem): boolean {
  return status === 'completed' || status === 'skipped';
}

function withoutEnd({ result: _result, error: _error, ...task }: TaskItem): TaskItem {
  return task;
}

/** Returns the fields of a task that need no proof. */
function plainTask({ id, title, status, origin, result, error }: TaskItem): TaskItem {
  return {
    id,
    title: title.slice(0, MAX_TEXT_LENGTH),
    status,
    origin: origin === 'model' ? 'model' : 'user',
    attempts: 0,
    ...(typeof result === 'string' ? { result: result.slice(0, MAX_TEXT_LENGTH) } : {}),
    ...(typeof error === 'string' ? { error: error.slice(0, MAX_TEXT_LENGTH) } : {}),
  };
}
