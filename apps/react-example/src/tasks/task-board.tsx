import { useTaskList, type AnyRun } from '@cueline/react';
import { useState } from 'react';
import { TaskInput } from './task-input.tsx';
import { TaskRow } from './task-row.tsx';

/** The list with its progress. It renders when a task changes; a row only when its own task does. */
export function TaskBoard({ run }: { run: AnyRun }) {
  const { tasks, progress, current, status, isComplete, add, ...actions } = useTaskList(run);
  const [refusal, setRefusal] = useState<string>();
  const canEdit = status === 'running' || status === 'waiting';

  async function append(title: string): Promise<void> {
    const reply = await add(title);
    setRefusal(reply.accepted ? undefined : reply.reason);
  }

  return (
    <>
      <div className="flex items-center gap-3 py-2 text-sm text-ink-2">
        <progress aria-label="Progress" value={progress.ratio} className="flex-1" />
        <span data-testid="progress">
          {progress.done} of {progress.total} {isComplete && '· all done'}
        </span>
      </div>
      <ol aria-label="Tasks" className="grid grid-cols-[minmax(0,1fr)] gap-1.5">
        {tasks.map(({ id }, index) => (
          <TaskRow
            key={id}
            run={run}
            taskId={id}
            index={index}
            isLast={index === tasks.length - 1}
            isCurrent={canEdit && id === current?.id}
            canEdit={canEdit}
            {...actions}
          />
        ))}
      </ol>
      {canEdit && (
        <div className="mt-3">
          <TaskInput label="Another task" action="Add" onSave={(title) => void append(title)} />
        </div>
      )}
      {refusal !== undefined && (
        <p role="alert" className="pt-1 text-sm text-danger">
          {refusal}
        </p>
      )}
    </>
  );
}
