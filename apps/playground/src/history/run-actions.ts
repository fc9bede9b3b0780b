import { isInProgress } from '@cueline/core';
import { newOpenScript } from '../state/open-script.ts';
import { usePlayground, type RunSource } from '../state/store.ts';
import { saveAsFile } from '../ui/save-as-file.ts';
import { toast } from '../ui/toast.ts';
import { visibleText } from '../ui/visible-text.ts';
import {
  openSession,
  readRuns,
  reportFailure,
  runs,
  runsChanged,
  scripts,
  showTree,
  toOpenText,
} from './history.ts';
import type { RunRow } from './rows.ts';
import { exportRun, importRun, MAX_FILE_SIZE, runFileName } from './run-file.ts';
import { runLocks } from './run-locks.ts';

/**
 * Shows a stored run with the script or the prompts that ran. If the run cannot be opened, shows the reason and returns
 * false.
 */
export async function openStored(row: RunRow): Promise<boolean> {
  try {
    const session = row.hasLog
      ? await openSession(row.id)
      : { problem: 'Only the script of this run is stored, because its log was over 16 MB.' };
    if ('problem' in session) {
      toast.error(session.problem);
      return false;
    }
    const { session: ofScript, promptSession } = usePlayground.getState();
    const shown = 'script' in session.source ? ofScript : promptSession;
    if (shown !== undefined && shown.id !== session.id && isInProgress(shown.run.getState())) {
      toast.error('A run is in progress here. Stop it or wait until it ends, then open the other run.');
      return false;
    }
    await showSource(session.source, row);
    await showTree(session);
    usePlayground.setState({ tab: 'run', view: 'script' in session.source ? 'script' : 'prompts' });
    return true;
  } catch (error) {
    reportFailure('This run could not be opened', error);
    return false;
  }
}

/** Opens the source beside the run: the stored script if it is unchanged, otherwise the text that ran. */
async function showSource(source: RunSource, row: RunRow): Promise<void> {
  if (!('script' in source)) {
    const [{ usePrompts }, { readOwnShared }] = await Promise.all([
      import('../prompts/store.ts'),
      import('../prompts/stored-prompts.ts'),
    ]);
    const read = readOwnShared(source.prompts);
    if (read !== undefined) usePrompts.getState().replace(read);
    usePrompts.setState({ tab: 'run' });
    return;
  }
  const { script, openText } = usePlayground.getState();
  if (script === source.script) return;
  const stored = row.scriptId === undefined ? undefined : await scripts.get(row.scriptId);
  openText(
    stored?.text === source.script
      ? toOpenText(stored)
      : { open: newOpenScript('run', row.title), text: source.script },
  );
}

/** What was deleted, as a sentence, and a function that restores it. */
export type Deletion = {
  /** The ids of the deleted runs. */
  readonly ids: readonly string[];
  readonly text: string;
  readonly undo: () => Promise<void>;
};

export function deleteRun({ id, title }: RunRow): Promise<Deletion | undefined> {
  return deleteRuns([id], visibleText(`“${title}” is deleted.`));
}

/** Deletes these runs. Returns undefined if that failed. */
export async function deleteRuns(ids: readonly string[], text: string): Promise<Deletion | undefined> {
  try {
    const removed = await Promise.all(ids.map((id) => runs.remove(id)));
    await runsChanged();
    const restore = async (): Promise<void> => {
      for (const one of removed) await runs.restore(one);
      await runsChanged();
    };
    return {
      ids,
      text,
      undo: () => restore().catch((error: unknown) => reportFailure('The run could not be restored', error)),
    };
  } catch (error) {
    reportFailure('The run could not be deleted', error);
    return undefined;
  }
}

/** Deletes all runs that are not in progress. */
export async function deleteAllRuns(): Promise<void> {
  try {
    await runs.clear(await runLocks.held());
    await runsChanged();
  } catch (error) {
    reportFailure('The runs could not be deleted', error);
  }
}

/** Saves a run with its script as a file. */
export async function saveRun(row: RunRow): Promise<void> {
  try {
    const text = await exportRun(runs, row.id, usePlayground.getState().connection);
    if (text === undefined) toast.error('This run is not stored with its log, so it cannot be exported.');
    else saveAsFile(runFileName(row.title), text);
  } catch (error) {
    reportFailure('This run could not be exported', error);
  }
}

/** Imports the run of a file. If the file is refused, shows the reason. */
export async function addRunFile(file: File): Promise<void> {
  if (file.size > MAX_FILE_SIZE) {
    toast.error(`${file.name} is larger than 64 MB, so it cannot be imported.`);
    return;
  }
  try {
    const imported = await importRun(runs, await file.text());
    if ('problem' in imported) toast.error(imported.problem);
    else {
      await runsChanged();
      toast.success('The run is imported.');
    }
  } catch (error) {
    reportFailure('The run in this file could not be imported', error);
    await readRuns();
  }
}
