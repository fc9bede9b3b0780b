import { parseCases } from '@cueline/evals/cases';
import { freeId, parametersOf, type EditablePrompt } from '../prompts/editable-prompt.ts';
import { usePrompts } from '../prompts/store.ts';
import { isRecord } from '../ui/data/is-record.ts';
import { formatCount, plural } from '../ui/format.ts';
import { toast } from '../ui/toast.ts';
import { toText, toTexts } from './case-texts.ts';
import { MAX_CASES, type EditableCase } from './eval-settings.ts';
import { useEvals } from './store.ts';
import { takenIds } from './stored-evals.ts';

/** The largest file that is opened, in bytes. */
const MAX_FILE_BYTES = 5_000_000;

/** Adds the cases of a CSV or JSON file, as `readCases` of `@cueline/evals` reads them. */
export async function openCaseFile(file: File): Promise<void> {
  if (file.size > MAX_FILE_BYTES) {
    toast.error(`${file.name} is larger than 5 MB. Run these cases with the command cueline eval.`);
    return;
  }
  try {
    const added = readCaseFile(file.name, decodeText(file.name, await file.arrayBuffer()));
    const { settings, change } = useEvals.getState();
    const room = Math.max(0, MAX_CASES - settings.cases.length);
    const taken = takenIds(settings.cases);
    const cases = added.slice(0, room).map((one) => {
      const id = freeId(one.id, taken);
      taken.push(id);
      return { ...one, id };
    });
    change({ cases: [...settings.cases, ...cases] });
    const left = added.length - cases.length;
    const text = `${plural(cases.length, 'case')} ${cases.length === 1 ? 'is' : 'are'} added.${left > 0 ? ` ${formatCount(left)} are left out: an eval on this page has at most ${formatCount(MAX_CASES)} cases.` : ''}`;
    const versions = usePrompts.getState().entries.map(({ prompt }) => prompt);
    const description = unusedValues(
      cases,
      settings.prompt,
      versions.filter(({ id }) => id === settings.prompt),
    );
    if (description === undefined) toast(text);
    else toast.warning(text, { description, duration: 20_000 });
  } catch (error) {
    toast.error((error as Error).message, { duration: 10_000 });
  }
}

/** @throws Error if the file is not UTF-8, since its letters would be wrong in every run */
export function decodeText(name: string, bytes: ArrayBuffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new Error(`${name} is not UTF-8. Save it as UTF-8; in a spreadsheet program, choose "CSV UTF-8".`);
  }
}

/** Names the values of cases that no version of the prompt uses, in a sentence; undefined if all are used. */
export function unusedValues(
  cases: readonly EditableCase[],
  prompt: string,
  versions: readonly EditablePrompt[],
): string | undefined {
  const known = parametersOf(versions).map(({ name }) => name);
  const names = new Set(cases.flatMap(({ input }) => Object.keys(input)));
  const unused = [...names].filter((name) => !known.includes(name));
  if (unused.length === 0) return undefined;
  const quoted = unused.slice(0, 5).map((name) => `"${name}"`);
  const more = unused.length > 5 ? ` and ${plural(unused.length - 5, 'other')}` : '';
  return `${prompt} has no parameter ${quoted.join(', ')}${more}: these values are not used. Parameters of ${prompt}: ${known.join(', ') || 'none'}. Columns of a case: id, expect.`;
}

/**
 * Returns the cases of a file as the form edits them: all values as texts.
 * @throws CuelineError `invalid_definition` with the path in the file
 */
export function readCaseFile(name: string, text: string): EditableCase[] {
  return parseCases<unknown>(name, text).map(({ id, input, expect }, index) => {
    if (!isRecord(input))
      throw new Error(`${name}: the input of case ${index + 1} is not an object. Write { "input": { … } }.`);
    return {
      id: typeof id === 'string' && id !== '' ? id : `case-${index + 1}`,
      input: toTexts(input),
      expect: toText(expect),
    };
  });
}
