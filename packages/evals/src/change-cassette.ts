import { randomUUID } from 'node:crypto';
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { CuelineError } from '@cueline/core';
import type { CassetteData } from '@cueline/core/testing';
import { withFileLock } from './file-lock.ts';

/** Returns the JSON in a cassette's file; undefined if there is no file. @throws CuelineError `invalid_options` */
export function readCassette(file: string): unknown {
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

/**
 * Writes what `change` returns for the JSON in a cassette's file, while no other process or thread changes it. If
 * `change` returns undefined, the file stays as it is.
 */
export function changeCassette(file: string, change: (content: unknown) => CassetteData | undefined): void {
  mkdirSync(dirname(file), { recursive: true });
  withFileLock(file, () => {
    const data = change(readCassette(file));
    if (data === undefined) return;
    const temporary = `${file}.${randomUUID()}.tmp`;
    writeFileSync(temporary, `${JSON.stringify(data, null, 1)}\n`);
    renameSync(temporary, file);
  });
}
