import { taskProgress, type TaskState } from '@cueline/core';
import type { TaskRun } from '@cueline/react';
import { clsx } from 'clsx';
import { Plus } from 'lucide-react';
import { useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { useKeptState } from '../input/use-kept-state.ts';
import type { RunClock } from '../state/run-clock.ts';
import { useDrawnCount } from '../state/use-drawn-count.ts';
import { Announce } from '../ui/announce.tsx';
import { Button } from '../ui/button.tsx';
import { Chevron } from '../ui/chevron.tsx';
import { ShowMore } from '../ui/more-button.tsx';
import { visibleText } from '../ui/visible-text.ts';
import { TaskInput } from './task-input.tsx';
import { taskAnnouncement } from './task-labels.ts';
import { TaskRow } from './task-row.tsx';
import { currentTaskOf, taskStarts } from './task-times.ts';
import { useTaskEdits } from './use-task-edits.ts';

type TaskPanelProps = {
  run: TaskRun;
  tasks: readonly TaskState[];
  /** Path of the agent whose tasks these are; missing for the run's own. */
  agent?: string | undefined;
  /** Whether the list can still be changed. */
  inProgress: boolean;
  /** True while an earlier moment of the run is shown. What the user has written is hidden then. */
  isPast?: boolean;
  /** The clock of the run. */
  clock: RunClock;
  /** When the first step began, in milliseconds since the run started; missing before. */
  begunAt?: number | undefined;
  /** When the work ended, or the moment that is shown; missing while it is in progress. */
  until?: number | undefined;
  /** Whether the tasks are shown before the user has decided. */
  open: boolean;
  className?: string;
};

/** The tasks of a run while it works on them: the progress, the next task, and edits of the remaining ones. */
export function TaskPanel({
  run,
  tasks,
  agent,
  inProgress,
  isPast = false,
  clock,
  begunAt,
  until,
  open: suggested,
  className,
}: TaskPanelProps) {
  const [choice, setOpen] = useState<boolean>();
  const owner = { run, id: `${agent ?? ''} new task` };
  const [adding, setAdding] = useKeptState(owner, 'open', () => false);
  const { edit, refusal } = useTaskEdits(run, agent);
  const section = useRef<HTMLElement>(null);
  const header = useRef<HTMLButtonElement>(null);
  const focusHeader = useCallback(() => header.current?.focus(), []);
  const stopAdding = useCallback(() => {
    setAdding(false);
    // the end of the run closes the input, too, wherever the user is then
    if (section.current?.contains(document.activeElement) === true) focusHeader();
  }, [setAdding, focusHeader]);
  const open = choice ?? suggested;
  const current = currentTaskOf(tasks);
  const { done, total } = taskProgress(tasks);
  return (
    <section
      ref={section}
      // only the list of the run itself is a landmark, because several agents may have lists
      role={agent === undefined ? undefined : 'group'}
      aria-label={agent === undefined ? 'Tasks' : 'Tasks of this agent'}
      className={className}
      data-testid="tasks"
    >
      <div className="flex h-9 items-center gap-2 pr-1 pl-3 narrow:h-11">
        <button
          ref={header}
          type="button"
          aria-expanded={open}
          onClick={() => setOpen(!open)}
          className="-ml-1 flex h-7 min-w-0 flex-1 items-center gap-2 rounded px-1 text-left hover:text-ink narrow:h-11"
        >
          <Chevron open={open} />
          <span className="shrink-0 font-medium">Tasks</span>
          <span className="shrink-0 text-ink-2" data-testid="task-progress">
            {done} of {total}
          </span>
          <Progress done={done} total={total} />
          {!open && current !== undefined && (
            <span className="min-w-0 flex-1 truncate text-ink-2">{visibleText(current.title)}</span>
          )}
        </button>
        {inProgress && (
          <AddButton
            expanded={adding}
            isInAgent={agent !== undefined}
            onClick={() => {
              setAdding(!adding);
              setOpen(true);
            }}
          />
        )}
      </div>
      {open && (
        <TaskItems
          {...{ run, agent, isPast, tasks, begunAt, until, refusal }}
          currentId={current?.id}
          clock={inProgress ? clock : undefined}
          edit={inProgress ? edit : undefined}
          onLeave={focusHeader}
        />
      )}
      {open && adding && (
        <div className={clsx('flex pr-2 pl-9', !isPast && 'py-1')}>
          <TaskInput
            owner={owner}
            label="New task"
            title=""
            action="Add"
            ended={!inProgress && !isPast}
            hidden={isPast}
            forSeveral
            onSave={(title) => edit({ type: 'add', title })}
            onClose={stopAdding}
          />
        </div>
      )}
      {refusal !== undefined && refusal.taskId === undefined && (
        <p role="alert" className="px-9 pb-2 text-sm text-danger">
          {visibleText(refusal.reason)}
        </p>
      )}
      <Announce text={taskAnnouncement(tasks)} />
    </section>
  );
}

type AddButtonProps = { expanded: boolean; isInAgent: boolean; onClick: () => void };

function AddButton({ expanded, isInAgent, onClick }: AddButtonProps) {
  return (
    <Button className="text-sm" aria-label="Add a task" aria-expanded={expanded} onClick={onClick}>
      <Plus />
      {/** an agent's panel is narrower, by a step for each agent around it */}
      <span className={clsx(isInAgent && 'narrow:hidden')}>Add a task</span>
    </Button>
  );
}

function Progress({ done, total }: { done: number; total: number }) {
  return (
    <span
      aria-hidden
      className="h-1 w-16 min-w-0 overflow-hidden rounded-full bg-line-strong/60 forced-color-adjust-none"
    >
      <span
        className="block h-full rounded-full bg-go transition-[width] duration-300"
        style={{ width: `${total === 0 ? 0 : (done / total) * 100}%` }}
      />
    </span>
  );
}

type TaskItemsProps = Pick<ReturnType<typeof useTaskEdits>, 'refusal'> &
  Pick<TaskPanelProps, 'run' | 'agent' | 'begunAt' | 'until'> & {
    isPast: boolean;
    tasks: readonly TaskState[];
    currentId: string | undefined;
    clock: RunClock | undefined;
    edit: ReturnType<typeof useTaskEdits>['edit'] | undefined;
    onLeave: () => void;
  };

/** How many tasks are drawn at first, and how many more at each press. */
const TASKS_AT_ONCE = 200;

function TaskItems(props: TaskItemsProps) {
  const { run, agent, isPast, tasks, currentId, begunAt, until, clock, refusal, edit, onLeave } = props;
  const starts = useMemo(() => taskStarts(tasks, begunAt), [tasks, begunAt]);
  const list = useRef<HTMLOListElement>(null);
  const shownId = useShownTask(tasks, currentId);
  useEffect(() => {
    const items = list.current;
    // do not scroll while the user works in the list
    if (items === null || shownId === undefined || items.contains(document.activeElement)) return;
    const row = items.querySelector<HTMLElement>(`[data-task="${CSS.escape(shownId)}"]`);
    if (row === null) return;
    const top = row.offsetTop - items.offsetTop;
    if (top < items.scrollTop || top + row.offsetHeight > items.scrollTop + items.clientHeight) {
      items.scrollTop = top - items.clientHeight / 3;
    }
  }, [shownId]);
  const [most, setMost] = useState(TASKS_AT_ONCE);
  const count = useDrawnCount(tasks.length, most);
  // the task to which the list scrolls is among the drawn ones, with its neighbors
  const position = tasks.findIndex(({ id }) => id === shownId);
  const first = Math.max(0, Math.min(position - Math.floor(count / 2), tasks.length - count));
  const hidden = tasks.length - most;
  return (
    <>
      <ol ref={list} className="scroll max-h-[min(30vh,260px)] pb-1.5" aria-label="Task list">
        {tasks.slice(first, first + count).map((task) => (
          <TaskRow
            key={task.id}
            run={run}
            agent={agent}
            isPast={isPast}
            task={task}
            current={task.id === currentId}
            since={starts.get(task.id)}
            until={until}
            clock={clock}
            refusal={refusal?.taskId === task.id ? refusal.reason : undefined}
            edit={edit}
            onLeave={onLeave}
          />
        ))}
      </ol>
      <ShowMore
        left={hidden}
        label="Show more tasks"
        className="w-full py-1"
        onMore={() => setMost(most + TASKS_AT_ONCE)}
      />
    </>
  );
}

/**
 * The task to which the list scrolls: the current one, or the one that the user has added since that became current.
 */
function useShownTask(tasks: readonly TaskState[], currentId: string | undefined): string | undefined {
  const [known, setKnown] = useState({ count: tasks.length, currentId, shownId: currentId });
  if (known.count === tasks.length && known.currentId === currentId) return known.shownId;
  const last = tasks.at(-1);
  const isAdded = tasks.length > known.count && last?.origin === 'user';
  const before = known.currentId === currentId ? known.shownId : currentId;
  const shownId = isAdded ? last.id : before;
  setKnown({ count: tasks.length, currentId, shownId });
  return shownId;
}
