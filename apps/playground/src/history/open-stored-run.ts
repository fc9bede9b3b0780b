import { reduceAll, type RunEvent } from '@cueline/core';
import { newOpenScript } from '../state/open-script.ts';
import { createRunClock } from '../state/run-clock.ts';
import { runOfLog } from '../state/run-session.ts';
import { statesOf } from '../state/shown-run.ts';
import type { RunSession, RunSource, Turn } from '../state/store.ts';
import { toTranscript } from '../transcript/view-model.ts';
import { CONTRADICTION, problemOfEvents } from './check-log.ts';
import type { RunRow } from './rows.ts';
import type { RunStore } from './run-store.ts';

/** A stored run as a session that can be shown and continued, or why it cannot be opened. */
export type OpenedStoredRun =
  | { readonly session: RunSession; readonly row: RunRow }
  | { readonly problem: string };

export async function openStoredRun(store: RunStore, id: string): Promise<OpenedStoredRun> {
  const row = await store.get(id);
  if (row === undefined) return { problem: 'This run is not stored any more.' };
  if (!row.hasLog)
    return { problem: 'Only the script of this run is stored, because its log was over 16 MB.' };
  const logs = await store.logs(id);
  if (logs === undefined || logs.length === 0) return { problem: 'A part of this run is missing.' };
  return openStoredLogs(row, logs);
}

/** Opens a run that has these logs, by turn. They are checked first: a database or a file may contain anything. */
export async function openStoredLogs(
  row: RunRow,
  logs: readonly (readonly RunEvent[])[],
): Promise<OpenedStoredRun> {
  for (const log of logs) {
    const problem = await problemOfEvents(log, { isStored: true });
    if (problem !== undefined) return unshown(problem);
  }
  const last = logs.at(-1)!;
  const code = await codeOf(row.source, last);
  if (code === undefined) return { problem: 'The prompt of this run cannot be read.' };
  try {
    const run = await runOfLog(last, code);
    const earlier = logs.slice(0, -1).map((log): Turn => ({ log, state: reduceAll(log) }));
    // throws for events that contradict each other
    for (const state of statesOf({ earlier, state: run.getState() })) toTranscript(state);
    return { session: sessionOf(row, run, earlier), row };
  } catch {
    return unshown(CONTRADICTION);
  }
}

function sessionOf(row: RunRow, run: RunSession['run'], earlier: readonly Turn[]): RunSession {
  const { source, model, simulated, parent, title, scriptId, scriptName = title } = row;
  const open = newOpenScript('run', scriptName);
  return {
    id: row.id,
    run,
    source,
    ...('script' in source ? { openScript: { ...open, id: scriptId ?? open.id } } : {}),
    shared: false,
    model,
    simulated,
    clock: createRunClock(run, { elapsed: run.getState().elapsed }),
    earlier,
    ...(parent === undefined ? {} : { parent }),
  };
}

function unshown(problem: string): OpenedStoredRun {
  return { problem: `This run cannot be shown: ${problem}.` };
}

/** What a run continues with; undefined if its prompt cannot be read. */
async function codeOf(source: RunSource, log: readonly RunEvent[]) {
  if ('script' in source) return { script: source.script };
  const { definitionOf } = await import('../prompts/definition-of.ts');
  const definition = definitionOf(source.prompts, log);
  return definition && { definition };
}
