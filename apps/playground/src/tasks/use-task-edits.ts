import type { TaskEdit } from '@cueline/core';
import type { TaskRun } from '@cueline/react';
import { useCallback, useState } from 'react';

/** Why an edit was refused, and of which task; without one, of the list as a whole. */
export type RefusedEdit = { taskId: string | undefined; reason: string };

export type TaskEdits = {
  /** Resolves with whether the edit was accepted. */
  edit(edit: TaskEdit): Promise<boolean>;
  /** The last edit that was refused, until the next one. */
  refusal: RefusedEdit | undefined;
};

/** Edits of the task list of a run, or of the agent at `path`. */
export function useTaskEdits(run: TaskRun, path: string | undefined): TaskEdits {
  const [refusal, setRefusal] = useState<RefusedEdit>();
  const edit = useCallback(
    async (given: TaskEdit) => {
      setRefusal(undefined);
      const reply = await run.edit(given, path);
      if (reply.accepted) return true;
      setRefusal({ taskId: 'taskId' in given ? given.taskId : undefined, reason: reply.reason });
      return false;
    },
    [run, path],
  );
  return { edit, refusal };
}
