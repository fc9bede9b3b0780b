import type { TaskEdit } from '@cueline/core';
import type { TaskRun } from '@cueline/react';
import { useCallback, useState } from 'react';

/**
 * Edits of the task list of a run, or of the agent at `path`. `edit` resolves with whether the edit was accepted.
 * Until the next edit, `refusal` says why the last one was refused, and of which task; without a task, of the list as
 * a whole.
 */
export function useTaskEdits(run: TaskRun, path: string | undefined) {
  const [refusal, setRefusal] = useState<{ taskId: string | undefined; reason: string }>();
  const edit = useCallback(
    async (given: TaskEdit): Promise<boolean> => {
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
