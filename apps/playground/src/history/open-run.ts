import { reduceAll, type RunEvent } from '@cueline/core';
import { newOpenScript } from '../state/open-script.ts';
import { openStoredRun } from '../state/run-session.ts';
import type { RunSession, RunSource, Turn } from '../state/store.ts';
import { problemOfLog } from './check-log.ts';
import type { RunRow } from './rows.ts';
import type { RunStore } from './run-store.ts';

/** A stored run as a session that can be shown and continued, or why it cannot be opened. */
export type OpenedRun = { readonly session: RunSession; readonly row: RunRow } | { readonly problem: string };

/** Opens a stored run. */
export async function openRun(store: RunStore, id: string): Promise<OpenedRun> {
  const row = await store.get(id);
  if (row === undefined) return { problem: 'This run is not stored any more.' };
  if (!row.hasLog) return { problem: 'This run was too long to be kept (over 16 MB).' };
  const logs = await store.logs(id);
  if (logs === undefined || logs.length === 0) return { problem: 'A part of this run is missing.' };
  return openLogs(row, logs);
}

/** Opens a run that has these logs, by turn. They are checked first: a database or a file may contain anything. */
export async function openLogs(row: RunRow, logs: readonly (readonly RunEvent[])[]): Promise<OpenedRun> {
  const problem = await problemOfLogs(logs);
  if (problem !== undefined) return { problem: `This run cannot be shown: ${problem}.` };
  const run = await openLast(row.source, logs.at(-1)!);
  if (run === undefined) return { problem: 'The prompt of this run cannot be read.' };
  const { source, model, simulated, parent, title, scriptId, scriptName = title } = row;
  const open = newOpenScript('run', scriptName);
  const earlier = logs.slice(0, -1).map((log): Turn => ({ log, state: reduceAll(log) }));
  const session: RunSession = {
    id: row.id,
    run,
    source: source,
    ...('script' in source ? { openScript: { ...open, id: scriptId ?? open.id } } : {}),
    shared: false,
    model,
    simulated,
    startedAt: performance.now() - run.getState().elapsed,
    earlier,
    ...(parent === undefined ? {} : { parent }),
  };
  return { session, row };
}

/** Why the logs of a run cannot be shown; undefined if all can. */
async function problemOfLogs(logs: readonly (readonly RunEvent[])[]): Promise<string | undefined> {
  for (const log of logs) {
    const problem = await problemOfLog(log, { isStored: true });
    if (problem !== undefined) return problem;
  }
  return undefined;
}

async function openLast(source: RunSource, log: readonly RunEvent[]): Promise<RunSession['run'] | undefined> {
  if ('script' in source) return openStoredRun(log, { script: source.script });
  const { definitionOf } = await import('../prompts/definition-of.ts');
  const definition = definitionOf(source.prompts, log);
  return definition === undefined ? undefined : openStoredRun(log, { definition });
}
