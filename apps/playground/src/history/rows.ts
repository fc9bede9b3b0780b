import '../zod-without-eval.ts';
import * as z from 'zod';
import { MAX_NAME_LENGTH } from '../state/open-script.ts';

/** The longest text of a script, in characters. */
const MAX_TEXT_LENGTH = 8_000_000;

const id = z.string().min(1).max(200);
const name = z.string().max(MAX_NAME_LENGTH);
const text = z.string().max(MAX_TEXT_LENGTH);
const count = z.number().int().min(0);
/** Milliseconds since 1970, up to the last time that a `Date` can have. */
const time = z.number().min(0).max(8.64e15);

const scriptRow = z.object({
  id,
  /** The name that the user gave it; missing if the script has the name of its prompt. */
  name: name.optional(),
  text,
  origin: z.enum(['own', 'example', 'link', 'file', 'run']),
  /** Counts the changes of the text. */
  revision: count,
  updatedOn: time,
  /** The page that has written the text. */
  writer: name.optional(),
});

const versionRow = z.object({
  id,
  scriptId: id,
  text,
  savedOn: time,
  /** Why it was kept: a run, another script in the editor, an earlier version in its place, or another tab's change. */
  reason: z.enum(['run', 'switch', 'restore', 'conflict']),
});

const runStatus = z.enum(['running', 'waiting', 'done', 'error', 'stopped', 'interrupted']);

const runRow = z.object({
  id,
  title: name,
  pinned: z.boolean(),
  source: z.union([z.object({ script: text }), z.object({ prompts: z.json() })]),
  /** The id that the script had when it ran, and its name. It is not stored if it was never edited. */
  scriptId: id.optional(),
  scriptName: name.optional(),
  model: z.object({ name, detail: name }),
  simulated: z.boolean(),
  startedOn: time,
  updatedOn: time,
  status: runStatus,
  steps: count,
  turns: count,
  /** Milliseconds of all turns. */
  elapsed: z.number().min(0),
  /** Characters of all logs, as they are stored. */
  size: count,
  /** False if the logs were too long to be kept. */
  hasLog: z.boolean(),
  /** The run that it is a fork of, and what was edited in the step before it branches off. */
  parent: z.object({ id, turn: count, step: count, agent: text.optional() }).optional(),
  edited: z.enum(['result', 'answer']).optional(),
  /** Names the last writer, so that a tab sees whether another one has continued the run. */
  writer: name,
});

export type ScriptRow = z.infer<typeof scriptRow>;
export type VersionRow = z.infer<typeof versionRow>;
export type RunRow = z.infer<typeof runRow>;
export type StoredStatus = z.infer<typeof runStatus>;

/** Returns a reader of rows. It returns undefined for a row with an invalid shape, and does not delete the row. */
function reader<Row>(schema: z.ZodType<Row>): (value: unknown) => Row | undefined {
  return (value) => {
    try {
      return schema.parse(value);
    } catch {
      // JSON that is nested too deep overflows the stack
      return undefined;
    }
  };
}

export const readScript: (value: unknown) => ScriptRow | undefined = reader(scriptRow);
export const readVersion: (value: unknown) => VersionRow | undefined = reader(versionRow);
export const readRun: (value: unknown) => RunRow | undefined = reader(runRow);

/** The rows of a list that can be read. */
export function readAll<Row>(values: readonly unknown[], read: (value: unknown) => Row | undefined): Row[] {
  return values.flatMap((value) => read(value) ?? []);
}
