import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { CuelineError } from '@cueline/core';
import type { EvalCase } from '@cueline/core/evals';
import { parseCases } from './parse-cases.ts';

/**
 * Reads cases from a file. JSON: a list of cases, or `{ "cases": […] }`. CSV: a header, and a case in each row; the
 * columns `id`, `expect`, `tags` (separated by spaces or commas) and `mark` (true or false) belong to the case, all
 * others are its input, as texts.
 * @throws CuelineError `invalid_definition` with the path in the file
 *
 * @example
 * const cases = readCases<{ TEXT: string }>(new URL('sentiment.csv', import.meta.url));
 */
export function readCases<Input = Record<string, string>>(path: string | URL): EvalCase<Input>[] {
  const file = typeof path === 'string' ? path : fileURLToPath(path);
  return parseCases(file, readText(file));
}

function readText(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw new CuelineError(
      'invalid_definition',
      `readCases cannot read ${file}: ${(error as Error).message}. Pass new URL('cases.json', import.meta.url).`,
    );
  }
}
