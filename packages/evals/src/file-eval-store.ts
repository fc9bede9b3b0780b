import { randomUUID } from 'node:crypto';
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { EvalStore } from '@cueline/core/evals';
import { isRunEvent } from '@cueline/core/link';
import { checkNames } from '@cueline/core/server';

/**
 * Returns a store that keeps each log in a file of the folder. A file that is not readable counts as missing. With
 * `fresh`, all of them do: each run is made again, and its log replaces the earlier one.
 * @throws CuelineError `invalid_options` for an option that does not exist
 */
export function fileEvalStore(folder: string, options: { fresh?: boolean } = {}): EvalStore {
  checkNames('fileEvalStore', options, ['fresh'], 'invalid_options');
  const { fresh = false } = options;
  // not all in one folder, because some tools are slow with many files
  const pathOf = (key: string): string => join(folder, key.slice(0, 2), `${key.slice(2)}.json`);
  return {
    async get(key) {
      if (fresh) return undefined;
      try {
        const log: unknown = JSON.parse(await readFile(pathOf(key), 'utf8'));
        return Array.isArray(log) && log.every((event) => isRunEvent(event)) ? log : undefined;
      } catch {
        return undefined;
      }
    },
    async set(key, log) {
      const path = pathOf(key);
      await mkdir(join(path, '..'), { recursive: true });
      // two cases with the same request write the same file
      const temporary = `${path}.${randomUUID()}.tmp`;
      await writeFile(temporary, JSON.stringify(log));
      await rename(temporary, path);
    },
  };
}
