import '../zod-without-eval.ts';
import type { RunEvent } from '@cueline/core';
import * as z from 'zod';
import { modelLabelOf, type ConnectionSettings } from '../model/connection.ts';
import { logsWithoutServers } from '../model/without-servers.ts';
import { newId } from '../state/new-id.ts';
import { describeSession } from './describe-run.ts';
import { openStoredLogs } from './open-stored-run.ts';
import { createTextReader, createTextWriter, lengthOf } from './repeated-texts.ts';
import { readRun, type RunRow } from './rows.ts';
import type { RunStore } from './run-store.ts';

/** The largest file that is imported, in bytes. */
export const MAX_FILE_SIZE = 64_000_000;
const MAX_TURNS = 1_000;
/** The longest name of a file without its ending, in characters. */
const MAX_NAME_LENGTH = 80;

const runFile = z.object({
  cueline: z.literal('run'),
  /** In a file of version 2, repeated texts are references. */
  version: z.literal([1, 2]),
  run: z.looseObject({}),
  logs: z
    .array(z.array(z.looseObject({})))
    .min(1)
    .max(MAX_TURNS),
});

export function runFileName(title: string): string {
  const words = title.replaceAll(/[^\p{L}\p{M}\p{N}_-]+/gu, '-');
  const name = [...words]
    .slice(0, MAX_NAME_LENGTH)
    .join('')
    .replaceAll(/^-+|-+$/g, '');
  return `${name || 'run'}.run.json`;
}

/**
 * A run with its script and its logs, as the text of a file; undefined if it is not stored with its logs. Like a link,
 * the file does not name the user's own model server. `connection` is the user's.
 */
export async function exportRun(
  store: RunStore,
  id: string,
  connection: ConnectionSettings,
): Promise<string | undefined> {
  const [row, stored] = await Promise.all([store.get(id), store.logs(id)]);
  if (row === undefined || !row.hasLog || stored === undefined || stored.length === 0) return undefined;
  const logs = logsWithoutServers(stored, connection);
  const {
    writer: _writer,
    parent: _parent,
    edited: _edited,
    scriptId: _scriptId,
    pinned: _pinned,
    ...kept
  } = row;
  const run = { ...kept, model: modelInFile(row, stored) };
  const text = createTextWriter().write({ cueline: 'run', version: 2, run, logs }, 0, 1);
  if (typeof text !== 'string') return text.withReferences;
  return JSON.stringify({ cueline: 'run', version: 1, run, logs }, null, 1);
}

/** The name of the model from the log, as for a link, because the row has the address of its server. */
function modelInFile({ model, simulated }: RunRow, logs: readonly (readonly RunEvent[])[]): RunRow['model'] {
  const start = logs.at(-1)?.find((event) => event.type === 'run-start');
  return start === undefined || simulated
    ? model
    : modelLabelOf({ model: start.model, simulated }, { name: '', detail: '' });
}

/**
 * Stores the run of a file under a new id. Its logs get the same checks as those of a link. If the file is refused,
 * returns the reason.
 */
export async function importRun(
  store: RunStore,
  text: string,
  now: () => number = Date.now,
): Promise<{ id: string } | { problem: string }> {
  const file = runFile.safeParse(parse(text));
  if (!file.success) return { problem: 'This file is not a run that a playground exported.' };
  const logs = file.data.logs as unknown as readonly (readonly RunEvent[])[];
  const row = readRun({
    ...file.data.run,
    id: newId(),
    pinned: false,
    parent: undefined,
    edited: undefined,
    scriptId: undefined,
    updatedOn: now(),
    turns: logs.length,
    size: 0,
    hasLog: true,
    writer: 'import',
  } satisfies Partial<Record<keyof RunRow, unknown>>);
  if (row === undefined) return { problem: 'This file is not a run that a playground exported.' };
  const opened = await openStoredLogs(row, logs);
  if ('problem' in opened) return opened;
  const texts = createTextWriter();
  const batches = logs.map((log, turn) => ({ turn, seq: 0, stored: texts.write(log, turn) }));
  const size = batches.reduce((sum, { stored }) => sum + lengthOf(stored), 0);
  // the file may state other figures than its logs
  await store.write({ row: { ...row, ...describeSession(opened.session), size }, batches, replaced: 'all' });
  return { id: row.id };
}

function parse(text: string): unknown {
  try {
    const file = JSON.parse(text) as { version?: unknown } | null;
    if (file?.version !== 2) return file;
    const stored = { withReferences: text };
    return createTextReader([stored])(stored);
  } catch {
    return undefined;
  }
}
