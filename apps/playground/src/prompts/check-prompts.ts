import { CuelineError } from '@cueline/core';
import {
  createPromptLibrary,
  type LibraryIssue,
  type LibraryPrompt,
  type PromptLibrary,
  type PromptRecord,
} from '@cueline/core/library';
import { toRecord, type EditablePrompt } from './editable-prompt.ts';

/** A fault of one prompt; `path` begins at the prompt: `userPromptParameters[1].type`. */
export type PromptFault = { readonly path: string; readonly message: string };

/** Returns the faults of each prompt, by its position. */
export function checkPrompts(
  prompts: readonly EditablePrompt[],
): ReadonlyMap<number, readonly PromptFault[]> {
  const faults = new Map<number, PromptFault[]>();
  const add = (index: number, fault: PromptFault): void => {
    faults.set(index, [...(faults.get(index) ?? []), fault]);
  };
  const seen = new Map<string, number>();
  for (const [index, prompt] of prompts.entries()) {
    for (const { path, message } of faultsOf(prompt))
      add(index, { path: path.replace(/^prompts(\[0\])?\.?/, ''), message });
    const key = `${prompt.id}@${prompt.version}`;
    const earlier = seen.get(key);
    if (earlier === undefined) seen.set(key, index);
    else
      add(index, {
        path: 'version',
        message: `is ${prompt.version}, which this prompt already has. Choose another`,
      });
  }
  return faults;
}

/** The first fault of the content of a prompt file, with its path; undefined if the library finds none. */
export function firstFaultOf(content: unknown): string | undefined {
  const { prompts: list = content } = (content ?? {}) as { prompts?: unknown };
  if (!Array.isArray(list)) return undefined;
  for (const [index, one] of list.entries()) {
    // the library would take a text for an address to load
    if (typeof one !== 'object' || one === null || Array.isArray(one))
      return `prompts[${index}] is not an object with "id", "version", "name" and "userPrompt".`;
    const [fault] = libraryFaults([one as PromptRecord]);
    if (fault !== undefined)
      return `${fault.path.replace(/^prompts(\[0\])?/, `prompts[${index}]`)} ${fault.message}.`;
  }
  return undefined;
}

function faultsOf(prompt: EditablePrompt): readonly LibraryIssue[] {
  return libraryFaults([toRecord(prompt)]);
}

function libraryFaults(records: readonly PromptRecord[]): readonly LibraryIssue[] {
  try {
    createPromptLibrary(records);
    return [];
  } catch (error) {
    if (!CuelineError.isInstance(error)) throw error;
    return (error.details?.['issues'] ?? []) as LibraryIssue[];
  }
}

/** One version in a library of its own; undefined while it has faults. */
export function libraryOf(
  prompt: EditablePrompt,
): { library: PromptLibrary; prompt: LibraryPrompt } | undefined {
  try {
    const library = createPromptLibrary([toRecord(prompt)] as readonly PromptRecord[]);
    return { library, prompt: library.list()[0]! };
  } catch {
    return undefined;
  }
}

/** Values as a form has them: texts by parameter. */
export type Values = Readonly<Record<string, string>>;

/** The values that are passed: those of the prompt's own parameters that are filled in. */
export function toInput(prompt: LibraryPrompt, values: Values): Record<string, string> {
  const names = [...prompt.systemPromptParameters, ...prompt.userPromptParameters].map(({ name }) => name);
  return Object.fromEntries(
    names.flatMap((name) => {
      const value = Object.hasOwn(values, name) ? values[name] : undefined;
      return value === undefined || value === '' ? [] : [[name, value]];
    }),
  );
}

/** What the model will be sent, or what is wrong with the values, by parameter. */
export type Expansion = { system: string; user: string } | { problems: ReadonlyMap<string, string> };

/** The longest text that the page expands a prompt to, in characters. */
const MAX_EXPANDED = 1_000_000;

export function expand(prompt: EditablePrompt, values: Values): Expansion | undefined {
  const known = libraryOf(prompt);
  if (known === undefined) return undefined;
  const { library, prompt: read } = known;
  const input = toInput(read, values);
  const tooLong = tooLongBecauseOf(read, input);
  if (tooLong !== undefined) {
    const most = MAX_EXPANDED.toLocaleString('en');
    const message = `makes the prompt longer than ${most} characters. Shorten its value, or name it less often in the prompt`;
    return { problems: new Map([[tooLong, message]]) };
  }
  const problems = new Map<string, string>();
  const text = (kind: 'expandSystem' | 'expandUser'): string => {
    try {
      return library[kind](read, input);
    } catch (error) {
      if (!CuelineError.isInstance(error)) throw error;
      const issues = (error.details?.['issues'] ?? []) as { parameter: string; message: string }[];
      for (const { parameter, message } of issues) problems.set(parameter, message);
      return '';
    }
  };
  const expansion = { system: text('expandSystem'), user: text('expandUser') };
  return problems.size > 0 ? { problems } : expansion;
}

/**
 * The parameter that adds most to a text of more than {@link MAX_EXPANDED} characters; undefined if both texts are
 * shorter.
 */
function tooLongBecauseOf(prompt: LibraryPrompt, input: Record<string, string>): string | undefined {
  for (const [text, parameters] of [
    [prompt.systemPrompt, prompt.systemPromptParameters],
    [prompt.userPrompt, prompt.userPromptParameters],
  ] as const) {
    const added = parameters.map(({ name, defaultValue = '' }) => ({
      name,
      length: (text.split(`{${name}}`).length - 1) * (input[name] ?? String(defaultValue)).length,
    }));
    const [most] = added.toSorted((a, b) => b.length - a.length);
    const total = added.reduce((sum, { length }) => sum + length, text.length);
    if (total > MAX_EXPANDED && most !== undefined && most.length > 0) return most.name;
  }
  return undefined;
}
