import { readDraft, toDraft, type Draft } from '../input/draft.ts';
import { isSameJson } from '../input/same-json.ts';
import type { Field } from '../input/schema-fields.ts';
import { fieldForValue } from '../input/value-field.ts';
import { readArguments } from './read-arguments.ts';

export type ArgumentsView = 'fields' | 'json';

/** The arguments of a call as the user edits them: as fields, or as JSON. */
export type ArgumentsDraft = {
  /** The arguments with which the view was opened. */
  readonly value: unknown;
  readonly view: ArgumentsView;
  readonly field: Field;
  /** What the fields hold. */
  readonly draft: Draft;
  /** What the JSON editor holds. */
  readonly json: string;
};

/** What a draft holds: the arguments, the problem of the JSON, or the problems of the fields. */
export type ArgumentsReading =
  | { readonly value: unknown }
  | { readonly fault: string }
  | { readonly problems: ReadonlyMap<string, string> };

/** The draft of these arguments, unchanged. Arguments that are not an object are edited as JSON. */
export function draftArguments(
  schema: unknown,
  value: unknown,
  view: ArgumentsView = 'fields',
): ArgumentsDraft {
  const field = fieldForValue(schema, value);
  return {
    value,
    view: field.kind === 'json' ? 'json' : view,
    field,
    draft: toDraft(field, value),
    json: JSON.stringify(value, null, 2) ?? '',
  };
}

/** Reads the arguments of the open view. Unchanged arguments are returned as they were. */
export function readArgumentsDraft({ value, view, field, draft, json }: ArgumentsDraft): ArgumentsReading {
  if (view === 'json') return readArguments(json);
  if (isSameJson(draft, toDraft(field, value))) return { value };
  const { input, problems } = readDraft(field, draft);
  return problems.size === 0 ? { value: input } : { problems };
}

/** True if the draft is not `input`, or cannot be read. */
export function isEdited(args: ArgumentsDraft, input: unknown): boolean {
  const reading = readArgumentsDraft(args);
  return !('value' in reading && isSameJson(reading.value, input));
}
