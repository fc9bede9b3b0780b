import { CuelineError } from '@cueline/core';
import type { EvalCase } from '@cueline/core/evals';
import Papa from 'papaparse';

/** The columns of a CSV file that are not input. */
const ownColumns = new Set(['id', 'expect', 'tags', 'mark']);

/**
 * Reads cases from the text of a file, anywhere, also in a browser. Its name ends in `.csv` or is taken as JSON; what
 * the file has is what `readCases` reads.
 * @throws CuelineError `invalid_definition` with the path in the file
 */
export function parseCases<Input = Record<string, string>>(file: string, text: string): EvalCase<Input>[] {
  // Excel begins a file in UTF-8 with this character
  const content = text.replace(/^\uFEFF/, '');
  const cases = /\.csv$/i.test(file) ? fromCsv(file, content) : fromJson(file, content);
  if (cases.length === 0) throw invalidCasesError(file, 'it has no cases', 'Add one.');
  return cases as EvalCase<Input>[];
}

function fromJson(file: string, text: string): EvalCase[] {
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch (error) {
    throw invalidCasesError(file, `it is not JSON (${(error as Error).message})`, 'Correct it.');
  }
  const { cases = parsed } = (parsed ?? {}) as { cases?: unknown };
  if (!Array.isArray(cases))
    throw invalidCasesError(file, 'it is not a list of cases', 'Write [{ "input": { … }, "expect": "…" }].');
  for (const [index, one] of cases.entries()) {
    if (typeof one !== 'object' || one === null || !('input' in one)) {
      throw invalidCasesError(file, `[${index}] has no "input"`, 'Write { "input": { … }, "expect": "…" }.');
    }
  }
  return cases as EvalCase[];
}

function fromCsv(file: string, text: string): EvalCase[] {
  const { data, errors, meta } = Papa.parse<Record<string, string>>(text, {
    header: true,
    skipEmptyLines: 'greedy',
  });
  const error = errors.find(({ type }) => type !== 'Delimiter');
  if (error !== undefined) {
    throw invalidCasesError(
      file,
      `row ${(error.row ?? 0) + 1}: ${error.message}`,
      'Give each row a value for each column.',
    );
  }
  const inputs = (meta.fields ?? []).filter((name) => !ownColumns.has(name));
  if (inputs.length === 0)
    throw invalidCasesError(file, 'no column is input', 'Name a column after each parameter of the prompt.');
  return data.map((row, index) => {
    const { id, expect, tags, mark } = row;
    return {
      ...(id === undefined || id === '' ? {} : { id }),
      input: Object.fromEntries(inputs.map((name) => [name, row[name] ?? ''])),
      ...(expect === undefined ? {} : { expect }),
      ...(tags === undefined ? {} : { tags: tags.split(/[\s,]+/).filter(Boolean) }),
      ...(mark === undefined || mark === '' ? {} : { mark: readMark(file, index, mark) }),
    };
  });
}

function readMark(file: string, index: number, mark: string): boolean {
  const word = mark.trim().toLowerCase();
  if (['true', 'yes', '1'].includes(word)) return true;
  if (['false', 'no', '0'].includes(word)) return false;
  throw invalidCasesError(file, `row ${index + 1}: mark is "${mark}"`, 'Write true or false.');
}

function invalidCasesError(file: string, what: string, remedy: string): CuelineError {
  return new CuelineError('invalid_definition', `The cases in ${file} are not readable: ${what}. ${remedy}`);
}
