import { randomUUID } from 'node:crypto';
import { mkdirSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { CuelineError } from '@cueline/core';
import {
  createCassette,
  type Cassette,
  type CassetteData,
  type CassetteOptions,
} from '@cueline/core/testing';
import { inject } from 'vitest';
import { withFileLock } from './file-lock.ts';

/** A cassette in a file. */
export type FileCassette = Cassette & {
  /**
   * Writes the file if something was recorded. `describeEval` does this when an eval has ended. What other eval files have
   * added to the same cassette meanwhile stays.
   */
  save(): void;
};

const opened = new Map<string, FileCassette>();

/**
 * Opens the cassette in a file, once for each path. By default it replays; `cueline eval --record` records, and
 * `cueline eval --extend` records only what is missing.
 * @throws CuelineError `invalid_options` for a faulty file
 *
 * @example
 * const cassette = openCassette(new URL('sentiment.cassette.json', import.meta.url));
 */
export function openCassette(
  path: string | URL,
  options: Pick<CassetteOptions, 'mode' | 'models'> = {},
): FileCassette {
  const file = typeof path === 'string' ? path : fileURLToPath(path);
  const known = opened.get(file);
  if (known !== undefined) return known;
  const { mode = inject('cueline')?.cassettes ?? 'replay' } = options;
  const cassette = createCassette({ ...options, mode, data: readCassette(file) });
  const fileCassette: FileCassette = Object.assign(cassette, {
    save: () => {
      if (!cassette.changed) return;
      mkdirSync(dirname(file), { recursive: true });
      withFileLock(file, () => {
        const others = mode === 'extend' || isOfThisEvaluation(file) ? readCassette(file) : undefined;
        const data = merge(cassette.toJSON(), others);
        const temporary = `${file}.${randomUUID()}.tmp`;
        writeFileSync(temporary, `${JSON.stringify(data, null, 1)}\n`);
        renameSync(temporary, file);
      });
    },
  });
  opened.set(file, fileCassette);
  return fileCassette;
}

/** Writes all cassettes with something new. */
export function saveCassettes(): void {
  for (const cassette of opened.values()) cassette.save();
}

/** Adds the recordings of a file that the cassette lacks. */
function merge(own: CassetteData, file: unknown): CassetteData {
  if (file === undefined) return own;
  const keys = new Set(own.recordings.map(({ key }) => key));
  const { recordings } = createCassette({ data: file }).toJSON();
  return {
    ...own,
    recordings: [...own.recordings, ...recordings.filter(({ key }) => !keys.has(key))].toSorted(
      (one, other) => (one.key < other.key ? -1 : 1),
    ),
  };
}

/** True if the file was written since the command started, or without a command since this process did. */
function isOfThisEvaluation(file: string): boolean {
  const start = inject('cueline')?.startedAt ?? performance.timeOrigin;
  return (statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0) >= start;
}

function readCassette(file: string): unknown {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
  try {
    return JSON.parse(text);
  } catch {
    throw new CuelineError(
      'invalid_options',
      `The cassette ${file} is not JSON. Delete it, and record it again.`,
    );
  }
}
