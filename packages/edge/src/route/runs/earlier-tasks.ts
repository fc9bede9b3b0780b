import type { RunEvent, RunRequest, TaskItem } from '@cueline/core';
import { applyTaskEvent, canonicalCall } from '@cueline/core/server';
import { eventsOf } from '../../stores/event-batch.ts';
import type { ReachedRun } from './runs.ts';

type Start = Pick<RunRequest, 'definition' | 'input'>;

/** What the server's own log of a run says about its tasks. */
type TaskRecord = {
  /** As they stood in the end. */
  items: readonly TaskItem[];
  /** Each state in which a task of the author's had ended, by its id. */
  ended: ReadonlyMap<string, readonly TaskItem[]>;
};

/** How long the log of the run before may take to be read, in milliseconds: it has ended, or is about to. */
const READ_MS = 2_000;
/** The length of a task's texts, in characters, beyond which the rest is left out. */
const LONGEST_TEXT = 10_000;

/**
 * The tasks with which a turn begins, of those that a client says the turn before left. What the client says of the
 * author's tasks counts only where the server's log of that run says the same: without such a log, or with one of
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

/** A task of the author's as the client says that it stands, where it has stood so; else as it stood in the end. */
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
    // what was accepted for another input proves nothing for this one
    if (event.type === 'run-start' && !isSameStart(event, start)) return undefined;
    if (event.agent !== undefined || !isTaskEvent(event)) continue;
    items = applyTaskEvent(items, event);
    const task = event.type === 'task-update' ? items.find(({ id }) => id === event.taskId) : undefined;
    if (task?.origin !== 'author' || !hasEnded(task)) continue;
    ended.set(task.id, [...(ended.get(task.id) ?? []), task]);
  }
  return items.some(({ origin }) => origin === 'author') ? { items, ended } : undefined;
}

/** The events that there are; where the next one takes too long, those until then. */
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
    void events.return?.();
  }
}

function isSameStart(
  { name, input }: Extract<RunEvent, { type: 'run-start' }>,
  { definition, input: given }: Start,
): boolean {
  return name === definition.name && canonicalCall('', input) === canonicalCall('', given);
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

/** What a task may say that nobody has to prove. */
function plainTask({ id, title, status, origin, result, error }: TaskItem): TaskItem {
  return {
    id,
    title: title.slice(0, LONGEST_TEXT),
    status,
    origin: origin === 'model' ? 'model' : 'user',
    attempts: 0,
    ...(typeof result === 'string' ? { result: result.slice(0, LONGEST_TEXT) } : {}),
    ...(typeof error === 'string' ? { error: error.slice(0, LONGEST_TEXT) } : {}),
  };
}
