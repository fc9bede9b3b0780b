import Papa from 'papaparse';
import { toast } from 'sonner';
import { freeId } from '../prompts/editable-prompt.ts';
import { MAX_CASES, type EditableCase } from './eval-settings.ts';
import { useEvals } from './store.ts';

/** The largest file that is opened, in bytes. */
const LARGEST_FILE = 5_000_000;

/** Adds the cases of a CSV or JSON file, as `readCases` of `@cueline/evals` reads them. */
export async function openCaseFile(file: File): Promise<void> {
  if (file.size > LARGEST_FILE) {
    toast.error(`${file.name} is larger than 5 MB. Run it with the command cueline eval.`);
    return;
  }
  try {
    const added = readCaseFile(file.name, (await file.text()).replace(/^\uFEFF/, ''));
    const { settings, change } = useEvals.getState();
    const room = MAX_CASES - settings.cases.length;
    const taken = settings.cases.map(({ id }) => id);
    const cases = added.slice(0, room).map((one) => {
      const id = freeId(one.id, taken);
      taken.push(id);
      return { ...one, id };
    });
    change({ cases: [...settings.cases, ...cases] });
    const left = added.length - cases.length;
    toast(
      `${cases.length} cases are added.${left > 0 ? ` ${left} are left out: a page runs up to ${MAX_CASES}.` : ''}`,
    );
  } catch (error) {
    toast.error((error as Error).message, { duration: 10_000 });
  }
}

/**
 * Reads cases. JSON: a list of `{ id, input, expect }`, or `{ "cases": […] }`. CSV: a header; the columns `id` and `expect`,
 * and a column for each parameter. Throws an error that names the file and the row.
 */
export function readCaseFile(name: string, text: string): EditableCase[] {
  const cases = /\.json$/i.test(name) ? fromJson(name, text) : fromCsv(name, text);
  if (cases.length === 0) throw new Error(`${name} has no cases. Add one.`);
  return cases;
}

function fromJson(name: string, text: string): EditableCase[] {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new Error(`${name} is not JSON: ${(error as Error).message}.`, { cause: error });
  }
  const list: unknown = isRecord(value) ? value['cases'] : value;
  if (!Array.isArray(list))
    throw new Error(`${name} is no list of cases. Write [{ "input": { … }, "expect": "…" }].`);
  return list.map((one: unknown, index) => {
    if (!isRecord(one) || !isRecord(one['input'])) {
      throw new Error(`${name}: case ${index + 1} has no "input". Write { "input": { … }, "expect": "…" }.`);
    }
    return {
      id: typeof one['id'] === 'string' && one['id'] !== '' ? one['id'] : `case-${index + 1}`,
      input: texts(one['input']),
      expect: toText(one['expect']),
    };
  });
}

function fromCsv(name: string, text: string): EditableCase[] {
  const { data, errors, meta } = Papa.parse<Record<string, string>>(text, {
    header: true,
    skipEmptyLines: 'greedy',
  });
  const error = errors.find(({ code }) => code !== 'UndetectableDelimiter');
  if (error !== undefined) throw new Error(`${name}, row ${(error.row ?? 0) + 2}: ${error.message}.`);
  const columns = (meta.fields ?? []).filter((field) => !['id', 'expect', 'tags', 'mark'].includes(field));
  if (columns.length === 0)
    throw new Error(`${name} has no column for a parameter. Begin it with a row of their names.`);
  return data.map((row, index) => ({
    id: row['id'] ?? `case-${index + 1}`,
    input: Object.fromEntries(columns.map((column) => [column, row[column] ?? ''])),
    expect: row['expect'] ?? '',
  }));
}

function texts(input: Record<string, unknown>): Record<string, string> {
  return Object.fromEntries(Object.entries(input).map(([key, value]) => [key, toText(value)]));
}

function toText(value: unknown): string {
  if (value === undefined || value === null) return '';
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
