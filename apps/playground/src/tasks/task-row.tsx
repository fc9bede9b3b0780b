import type { TaskEdit, TaskState, TaskStatus } from '@cueline/core';
import type { TaskRun } from '@cueline/react';
import { clsx } from 'clsx';
import {
  Circle,
  CircleCheck,
  CircleDashed,
  CircleSlash,
  CircleX,
  LoaderCircle,
  SearchCheck,
} from 'lucide-react';
import { memo, useCallback, useLayoutEffect, useRef, useState } from 'react';
import { useKeptState } from '../input/use-kept-state.ts';
import { useFollowedTime } from '../state/moment/followed-moment.tsx';
import type { RunClock } from '../state/run-clock.ts';
import { formatDuration, plural } from '../ui/format.ts';
import { LiveDuration } from '../ui/live-duration.tsx';
import { visibleText } from '../ui/visible-text.ts';
import { TaskInput } from './task-input.tsx';
import { attemptCount, isRefused, statusLabel } from './task-labels.ts';
import { TaskMenu } from './task-menu.tsx';

const glyphs: Record<TaskStatus, { Icon: typeof Circle; className: string; spins?: boolean }> = {
  pending: { Icon: Circle, className: 'text-ink-3' },
  in_progress: { Icon: LoaderCircle, className: 'text-go', spins: true },
  validating: { Icon: SearchCheck, className: 'text-tool' },
  completed: { Icon: CircleCheck, className: 'text-ok' },
  failed: { Icon: CircleX, className: 'text-danger' },
  skipped: { Icon: CircleSlash, className: 'text-ink-3' },
};

type TaskRowProps = {
  run: TaskRun;
  /** Path of the agent whose task it is; missing for the run's own. */
  agent: string | undefined;
  /** True while an earlier moment of the run is shown. */
  isPast: boolean;
  task: TaskState;
  /** True for the task that the model works on. */
  current: boolean;
  /** When the work on it began, in milliseconds since the run started. */
  since: number | undefined;
  /** When the run ended, or the moment that is shown, in milliseconds since its start. */
  until: number | undefined;
  /** The clock of the run; missing once the run is over. */
  clock: RunClock | undefined;
  /** Why the last edit of this task was refused. */
  refusal: string | undefined;
  /** Missing if the list cannot be changed any more. */
  edit: ((edit: TaskEdit) => Promise<boolean>) | undefined;
  /** Called when the focused control is removed, so that the focus can move. */
  onLeave: () => void;
};

/** One task: its status, its title, its result, and its actions. */
export const TaskRow = memo(function TaskRow(props: TaskRowProps) {
  const { run, agent, isPast, task, current, since, until, clock, refusal, edit, onLeave } = props;
  const { id, title, status, result, error } = task;
  const attempts = attemptCount(task);
  const [open, setOpen] = useState(false);
  const owner = { run, id: `${agent ?? ''} task ${id}` };
  const [renaming, setRenaming] = useKeptState(owner, 'open', () => false);
  const row = useRef<HTMLLIElement>(null);
  const { Icon, className, spins } = glyphOf(status, current, clock !== undefined);
  const feedback = status === 'completed' ? undefined : error;
  // a longer title may be cut in a narrow pane
  const hasMore = result !== undefined || feedback !== undefined || title.length > 30 || title.includes('\n');

  const pick = async (kind: 'rename' | 'skip' | 'retry' | 'remove'): Promise<void> => {
    if (kind === 'rename') return setRenaming(true);
    if ((await edit?.({ type: kind, taskId: id })) === true && kind === 'remove') onLeave();
  };
  const closeInput = useCallback((): void => setRenaming(false), [setRenaming]);
  const wasRenaming = useRef(false);
  useLayoutEffect(() => {
    const isBack = wasRenaming.current && !renaming;
    wasRenaming.current = renaming;
    // the end of the run closes the input, too, wherever the user is then
    if (!isBack || document.activeElement !== document.body) return;
    // the menu's button has replaced the input again, unless the run is over
    const menu = row.current?.querySelector<HTMLElement>('[aria-haspopup=menu]');
    if (menu) menu.focus();
    else onLeave();
  }, [renaming, onLeave]);

  return (
    <li
      ref={row}
      data-task={id}
      data-status={status}
      data-current={current || undefined}
      className={clsx(
        'flex items-start gap-2 py-0.5 pl-4 narrow:py-0',
        edit === undefined || renaming ? 'pr-4' : 'pr-1',
      )}
    >
      <Icon
        aria-hidden
        className={clsx('mt-[7px] size-3.5 shrink-0 narrow:mt-[15px]', className, spins && 'animate-spin')}
      />
      {renaming && (
        <TaskInput
          owner={owner}
          label={`New title for: ${visibleText(title.slice(0, 80))}`}
          title={title}
          action="Save"
          ended={edit === undefined && !isPast}
          hidden={isPast}
          onSave={async (next) => (await edit?.({ type: 'rename', taskId: id, title: next })) ?? false}
          onClose={closeInput}
        />
      )}
      {(!renaming || isPast) && (
        <div className="min-w-0 flex-1">
          <TaskTitle
            task={task}
            current={current}
            open={open}
            onToggle={hasMore ? () => setOpen(!open) : undefined}
          />
          {feedback !== undefined && !open && (
            <p
              className={clsx(
                '-mt-0.5 truncate pb-1 text-sm',
                status === 'skipped' ? 'text-ink-3' : 'text-warn',
              )}
            >
              {isRefused(task) && <span className="font-medium">Not accepted: </span>}
              {visibleText(feedback)}
            </p>
          )}
          {refusal !== undefined && (
            <p role="alert" className="pb-1 text-sm text-danger">
              {visibleText(refusal)}
            </p>
          )}
          {open && <TaskDetails result={result} feedback={feedback} />}
        </div>
      )}
      <span className="flex h-7 shrink-0 items-center gap-2 text-sm text-ink-3 narrow:h-11">
        {attempts > 0 && <span className="text-warn">{plural(attempts, 'attempt')}</span>}
        {task.origin === 'user' && <span>yours</span>}
        <TaskTime {...{ agent, isPast, task, since, until, clock }} />
      </span>
      {edit !== undefined && !renaming && (
        <TaskMenu task={task} onPick={(kind) => void pick(kind)} onLeave={onLeave} />
      )}
    </li>
  );
});

/**
 * The icon of the current task spins while the run is in progress. After the run, it shows that the task is
 * unfinished.
 */
function glyphOf(status: TaskStatus, current: boolean, inProgress: boolean): (typeof glyphs)[TaskStatus] {
  if (!inProgress && (status === 'in_progress' || status === 'validating')) {
    return { Icon: CircleDashed, className: 'text-ink-2' };
  }
  return glyphs[inProgress && current && status === 'pending' ? 'in_progress' : status];
}

type TaskTitleProps = {
  task: TaskState;
  current: boolean;
  open: boolean;
  onToggle: (() => void) | undefined;
};

function TaskTitle({ task: { title, status }, current, open, onToggle }: TaskTitleProps) {
  const behind = status === 'completed' || status === 'skipped';
  const words = (
    <>
      <span className="sr-only">
        {statusLabel[current && status === 'pending' ? 'in_progress' : status]}:{' '}
      </span>
      <span
        dir="auto"
        className={
          open ? 'wrap-anywhere whitespace-pre-wrap' : 'truncate narrow:line-clamp-2 narrow:whitespace-normal'
        }
      >
        {visibleText(title)}
      </span>
    </>
  );
  const className = clsx(
    'flex min-h-7 w-full min-w-0 items-center py-1 text-left narrow:min-h-11',
    behind ? 'text-ink-2' : 'text-ink',
    current && 'font-medium',
  );
  if (onToggle === undefined) return <p className={className}>{words}</p>;
  return (
    <button
      type="button"
      aria-expanded={open}
      onClick={onToggle}
      className={clsx(className, 'rounded hover:underline')}
    >
      {words}
    </button>
  );
}

function TaskDetails({ result, feedback }: { result: string | undefined; feedback: string | undefined }) {
  return (
    <dl className="mb-1.5 grid gap-1.5 rounded-md border border-line bg-raised px-2.5 py-2 text-sm">
      {feedback !== undefined && (
        <div>
          <dt className="text-xs font-medium text-ink-3">Feedback</dt>
          <dd className="wrap-anywhere whitespace-pre-wrap text-warn">{visibleText(feedback)}</dd>
        </div>
      )}
      {result !== undefined && (
        <div>
          <dt className="text-xs font-medium text-ink-3">Result</dt>
          <dd className="scroll max-h-40 wrap-anywhere whitespace-pre-wrap text-ink-2">
            {visibleText(result)}
          </dd>
        </div>
      )}
      {feedback === undefined && result === undefined && <dt className="text-ink-3">No result yet.</dt>}
    </dl>
  );
}

function TaskTime({
  agent,
  isPast,
  task: { finishedAt },
  since,
  until,
  clock,
}: Pick<TaskRowProps, 'agent' | 'isPast' | 'task' | 'since' | 'until' | 'clock'>) {
  if (since === undefined) return null;
  const end = finishedAt ?? (clock === undefined ? until : undefined);
  // an agent may have ended before the moment that is shown
  if (isPast && finishedAt === undefined && end !== undefined && agent === undefined)
    return <TimeUntilMoment since={since} until={end} />;
  if (end !== undefined) return <span>{formatDuration(end - since)}</span>;
  if (clock === undefined) return null;
  return (
    <span className="text-ink-2">
      <LiveDuration clock={clock} since={since} />
    </span>
  );
}

/** The time until the moment that the user has chosen, or else until its event. */
function TimeUntilMoment({ since, until }: { since: number; until: number }) {
  return <span>{formatDuration((useFollowedTime() ?? until) - since)}</span>;
}
