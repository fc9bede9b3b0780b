import type { EditReply, TaskStatus } from '@cueline/core';
import { useTask, type AnyRun, type TaskActions } from '@cueline/react';
import { clsx } from 'clsx';
import {
  ArrowDown,
  ArrowUp,
  Check,
  Circle,
  CircleCheck,
  CircleSlash,
  CircleX,
  LoaderCircle,
  Pencil,
  RotateCcw,
  SkipForward,
  Trash2,
} from 'lucide-react';
import { memo, useRef, useState, type ReactNode } from 'react';
import { Button } from '../ui/button.tsx';
import { TaskInput } from './task-input.tsx';

const styles: Record<TaskStatus, { Icon: typeof Circle; color: string; words: string }> = {
  pending: { Icon: Circle, color: 'text-ink-3', words: 'To do' },
  in_progress: { Icon: LoaderCircle, color: 'text-go', words: 'In progress' },
  validating: { Icon: LoaderCircle, color: 'text-tool', words: 'Being checked' },
  completed: { Icon: CircleCheck, color: 'text-go', words: 'Done' },
  failed: { Icon: CircleX, color: 'text-danger', words: 'Failed' },
  skipped: { Icon: CircleSlash, color: 'text-ink-3', words: 'Skipped' },
};

type TaskRowProps = Omit<TaskActions, 'add'> & {
  run: AnyRun;
  taskId: string;
  index: number;
  isLast: boolean;
  isCurrent: boolean;
  canEdit: boolean;
};

/** One task: its status, its result, and its actions. */
export const TaskRow = memo(function TaskRow(props: TaskRowProps) {
  const { run, taskId, isCurrent, canEdit, rename, resolve } = props;
  const task = useTask(run, taskId);
  const [writing, setWriting] = useState<'title' | 'result'>();
  const [refusal, setRefusal] = useState<string>();
  const row = useRef<HTMLLIElement>(null);
  if (task === undefined) return null;
  const { title, status, result, error, origin } = task;
  const { Icon, color, words } = styles[status];
  const outcome = status === 'completed' ? result : error;

  async function edit(reply: Promise<EditReply>): Promise<void> {
    const outcome = await reply;
    setRefusal(outcome.accepted ? undefined : outcome.reason);
  }
  /** For a button that disappears together with its row. */
  function leave(isRemoved = false): void {
    const { nextElementSibling: next, previousElementSibling: before } = row.current ?? {};
    const to = isRemoved ? (next ?? before) : row.current;
    (to as HTMLElement | null)?.focus();
  }
  function stopWriting(): void {
    setWriting(undefined);
    leave();
  }

  return (
    <li
      ref={row}
      tabIndex={-1}
      data-task={taskId}
      data-status={status}
      aria-current={isCurrent ? 'step' : undefined}
      className={clsx(
        'flex flex-wrap items-start gap-x-2.5 rounded-lg border bg-panel px-3 py-1.5',
        isCurrent ? 'border-line-strong' : 'border-line',
      )}
    >
      <Icon
        aria-hidden
        className={clsx('mt-2 size-4 shrink-0', color, isCurrent && status !== 'pending' && 'animate-spin')}
      />
      {writing !== undefined ? (
        <TaskInput
          label={writing === 'title' ? `New title for: ${title}` : `Result of: ${title}`}
          action="Save"
          text={writing === 'title' ? title : ''}
          onSave={(text) => {
            void edit(writing === 'title' ? rename(taskId, text) : resolve(taskId, text));
            stopWriting();
          }}
          onCancel={stopWriting}
        />
      ) : (
        <div className="min-w-0 flex-1 py-1.5">
          <p className={clsx('text-lg wrap-anywhere', status === 'skipped' && 'text-ink-2 line-through')}>
            {title}
            {origin === 'user' && <span className="ml-2 text-sm text-ink-3">yours</span>}
          </p>
          {/** one line from the beginning, so that no button below moves while a finger is on it */}
          <p className={clsx(error === undefined ? 'text-ink-2' : 'text-warn', canEdit && 'truncate')}>
            {words}
            {outcome !== undefined && `: ${outcome}`}
          </p>
          {refusal !== undefined && (
            <p role="alert" className="text-danger">
              {refusal}
            </p>
          )}
        </div>
      )}
      {canEdit && writing === undefined && (
        <TaskActions
          {...props}
          title={title}
          status={status}
          edit={edit}
          setWriting={setWriting}
          leave={leave}
        />
      )}
    </li>
  );
});

type TaskActionsProps = TaskRowProps & {
  title: string;
  status: TaskStatus;
  edit: (reply: Promise<EditReply>) => Promise<void>;
  setWriting: (what: 'title' | 'result') => void;
  leave: (isRemoved?: boolean) => void;
};

function TaskActions(props: TaskActionsProps) {
  const { taskId, title, status, index, isLast, edit, setWriting, leave, ...actions } = props;
  const change = (reply: Promise<EditReply>, isRemoved?: boolean): void => {
    leave(isRemoved);
    void edit(reply);
  };
  const isOpen = status === 'pending' || status === 'in_progress';
  const action = (words: string, icon: ReactNode, act: () => void, isPossible = true): ReactNode => (
    <Button
      square
      variant="ghost"
      aria-label={`${words}: ${title}`}
      title={words}
      // it keeps the focus even if it cannot be used any more
      aria-disabled={!isPossible}
      className={clsx(!isPossible && 'opacity-40')}
      onClick={() => isPossible && act()}
    >
      {icon}
    </Button>
  );
  return (
    <div
      role="group"
      aria-label={`Change: ${title}`}
      className="ml-auto flex narrow:-mr-2 narrow:basis-full narrow:justify-end"
    >
      {status === 'pending' && (
        <>
          {action('Move up', <ArrowUp />, () => void edit(actions.move(taskId, index - 1)), index > 0)}
          {action('Move down', <ArrowDown />, () => void edit(actions.move(taskId, index + 1)), !isLast)}
        </>
      )}
      {isOpen && (
        <>
          {action('Rename', <Pencil />, () => setWriting('title'))}
          {action('Give the result', <Check />, () => setWriting('result'))}
          {action('Skip', <SkipForward />, () => change(actions.skip(taskId)))}
        </>
      )}
      {status === 'pending' && action('Remove', <Trash2 />, () => change(actions.remove(taskId), true))}
      {(status === 'completed' || status === 'skipped') &&
        action('Do again', <RotateCcw />, () => change(actions.retry(taskId)))}
    </div>
  );
}
