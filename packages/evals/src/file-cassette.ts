import { fileURLToPath } from 'node:url';
import { CuelineError } from '@cueline/core';
import {
  createCassette,
  type Cassette,
  type CassetteData,
  type CassetteOptions,
} from '@cueline/core/testing';
import { inject } from 'vitest';
import { changeCassette, readCassette } from './change-cassette.ts';
import type { RecordedKeys } from './settings.ts';

/** A cassette in a file. */
export type FileCassette = Cassette & {
  /**
   * Writes the file if something was recorded. `describeEval` does this when an eval has ended. Other recordings in the
   * file stay.
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
      if (cassette.changed) changeCassette(file, (content) => addRecordings(cassette.toJSON(), content));
    },
  });
  opened.set(file, fileCassette);
  return fileCassette;
}

/** Writes all cassettes with something new. */
export function saveCassettes(): void {
  for (const cassette of opened.values()) cassette.save();
}

/** Returns what the open cassettes contain, by file. */
export function recordedKeys(): RecordedKeys {
  return Object.fromEntries(
    [...opened].map(([file, cassette]) => [file, cassette.toJSON().recordings.map(({ key }) => key)]),
  );
}

/** Adds the recordings of a file that the cassette lacks. */
function addRecordings(own: CassetteData, content: unknown): CassetteData {
  const keys = new Set(own.recordings.map(({ key }) => key));
  const earlier = readEarlier(content);
  const data: CassetteData = {
    version: 1,
    supportedUrls: { ...earlier.supportedUrls, ...own.supportedUrls },
    recordings: [...own.recordings, ...earlier.recordings.filter(({ key }) => !keys.has(key))],
  };
  return createCassette({ data }).toJSON();
}

/** A faulty file is refused when it is opened, unless it is recorded. */
function readEarlier(content: unknown): CassetteData {
  try {
    return createCassette({ data: content }).toJSON();
  } catch (error) {
    if (CuelineError.isInstance(error)) return createCassette().toJSON();
    throw error;
  }
}
