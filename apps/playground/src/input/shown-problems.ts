import { keysOf, readDraft, type Draft } from './draft.ts';
import type { Field } from './schema-fields.ts';

/** The problems of a draft by path: those of typed values, and of empty fields if `all` is true. */
export function shownProblems(field: Field, draft: Draft, all: boolean): Map<string, string> {
  const { problems } = readDraft(field, draft);
  return new Map([...problems].filter(([path]) => all || isTyped(draft, path)));
}

/** True if the user has typed something at this path, so that its problem can be shown. */
function isTyped(draft: Draft, path: string): boolean {
  let at: unknown = draft;
  for (const key of keysOf(path)) {
    if (typeof at !== 'object' || at === null) return false;
    if ('variant' in at && 'value' in at) at = at.value;
    at = Object.hasOwn(at as object, key) ? (at as Record<string, unknown>)[key] : undefined;
  }
  return typeof at === 'string' && at !== '';
}
