import { plural } from '../ui/format.ts';
import { visibleText } from '../ui/visible-text.ts';
import { isSameJson } from './same-json.ts';
import { JSON_EXAMPLE, type Field } from './schema-fields.ts';

/**
 * What the user has typed into a field: a string for a text, a number or JSON; the position of a choice; or the drafts
 * of the members of an object or a list. Undefined for an empty field.
 */
export type Draft =
  | undefined
  | string
  | boolean
  | readonly Draft[]
  | { readonly variant: number; readonly value: Draft }
  | { readonly [name: string]: Draft };

/** The input that a draft gives, and its problems: messages by path, starting with `input`. */
export type InputReading = { readonly input: unknown; readonly problems: ReadonlyMap<string, string> };

/** Stands for a value that is left out: the schema fills it in or does not need it. */
const absent = Symbol('absent');

type Problems = Map<string, string>;

/** The path of the whole input, as errors of a run name it. */
export const ROOT = 'input';

/** The path of a member of an object or a list, as errors of a run name it. */
export function pathOf(path: string, key: string | number): string {
  return typeof key === 'number' ? `${path}[${key}]` : `${path}.${key}`;
}

/** The keys of a path, below the input. */
export function keysOf(path: string): string[] {
  return path
    .slice(ROOT.length)
    .split(/[.[\]]+/)
    .filter(Boolean);
}

/** True if one of two paths is the other, or is inside it. */
export function areNested(one: string, other: string): boolean {
  const [outer, inner] = one.length < other.length ? [one, other] : [other, one];
  return inner === outer || inner.startsWith(`${outer}.`) || inner.startsWith(`${outer}[`);
}

/** Turns a draft into the input, with the checks that do not need the script's schema. */
export function readDraft(field: Field, draft: Draft): InputReading {
  const problems: Problems = new Map();
  const value = valueOf(field, draft, ROOT, problems);
  return { input: value === absent ? undefined : value, problems };
}

function valueOf(field: Field, draft: Draft, path: string, problems: Problems): unknown {
  const note = (problem: string | undefined): void => {
    if (problem !== undefined) problems.set(path, problem);
  };
  switch (field.kind) {
    case 'fixed':
      return draft === undefined && field.optional ? absent : field.value;
    case 'boolean':
      return typeof draft === 'boolean' ? draft : leftOut(field, note, false);
    case 'choice': {
      const index = typeof draft === 'string' && draft !== '' ? Number(draft) : -1;
      return index in field.options ? field.options[index] : leftOut(field, note);
    }
    case 'text':
      // an empty text is a value where a text is required
      if (typeof draft !== 'string' || (draft === '' && (field.optional || field.nullable))) {
        return leftOut(field, note);
      }
      note(lengthProblem(draft.length, field.minLength, field.maxLength, 'character'));
      return draft;
    case 'number': {
      if (typeof draft !== 'string' || draft.trim() === '') return leftOut(field, note);
      const value = Number(draft);
      note(numberProblem(field, value));
      return value;
    }
    case 'json':
      if (typeof draft !== 'string' || draft.trim() === '') return leftOut(field, note);
      try {
        return JSON.parse(draft) as unknown;
      } catch (error) {
        note(
          `This is not JSON: ${(error as Error).message}. Write a text in double quotes, as in "Ada", and an object as in ${JSON_EXAMPLE}.`,
        );
        return absent;
      }
    case 'object':
      return objectValue(field, draft, path, problems);
    case 'list': {
      if (!Array.isArray(draft))
        return field.optional || field.nullable ? leftOut(field, note) : listOf([], field, note);
      const items = (draft as readonly Draft[]).map((item, index) =>
        valueOf(field.item, item, pathOf(path, index), problems),
      );
      return listOf(items, field, note);
    }
    case 'union': {
      const chosen = isVariant(draft) ? field.variants[draft.variant] : undefined;
      if (chosen === undefined) return leftOut(field, note);
      return valueOf(chosen.field, (draft as { value: Draft }).value, path, problems);
    }
  }
}

function objectValue(
  field: Extract<Field, { kind: 'object' }>,
  draft: Draft,
  path: string,
  problems: Problems,
): unknown {
  if (draft === undefined && (field.optional || field.nullable)) return field.optional ? absent : null;
  const members = field.fields.map(({ name, field: member }) => [
    name,
    valueOf(member, memberOf(draft, name), pathOf(path, name), problems),
  ]);
  return Object.fromEntries(members.filter(([, value]) => value !== absent));
}

function listOf(
  items: readonly unknown[],
  { minItems, maxItems }: Extract<Field, { kind: 'list' }>,
  note: (problem: string | undefined) => void,
): unknown[] {
  note(lengthProblem(items.length, minItems, maxItems, 'item'));
  return items.filter((item) => item !== absent);
}

/** The value of an empty field: left out, null, `otherwise`, or a problem. */
function leftOut(field: Field, note: (problem: string) => void, otherwise: unknown = absent): unknown {
  if (field.optional) return absent;
  if (field.nullable) return null;
  if (otherwise === absent) note(missing[field.kind] ?? 'Fill this in.');
  return otherwise;
}

const missing: Partial<Record<Field['kind'], string>> = {
  choice: 'Choose one.',
  union: 'Choose one.',
  number: 'Enter a number.',
  json: 'Enter a value as JSON.',
};

function numberProblem(field: Extract<Field, { kind: 'number' }>, value: number): string | undefined {
  const { integer, minimum, maximum, above, below } = field;
  if (!Number.isFinite(value)) return 'Enter a number.';
  if (integer && !Number.isInteger(value)) return 'Enter a whole number.';
  if (minimum !== undefined && value < minimum) return `Enter ${minimum} or more.`;
  if (maximum !== undefined && value > maximum) return `Enter ${maximum} or less.`;
  if (above !== undefined && value <= above) return `Enter more than ${above}.`;
  if (below !== undefined && value >= below) return `Enter less than ${below}.`;
  return undefined;
}

function lengthProblem(length: number, min = 0, max = Infinity, noun: string): string | undefined {
  if (length < min) return length === 0 && min === 1 ? 'Fill this in.' : `At least ${plural(min, noun)}.`;
  return length > max ? `At most ${plural(max, noun)}.` : undefined;
}

/** The draft of an object's member. */
export function memberOf(draft: Draft, name: string): Draft {
  const isObject = typeof draft === 'object' && !Array.isArray(draft);
  return isObject && Object.hasOwn(draft, name) ? (draft as Record<string, Draft>)[name] : undefined;
}

/** The draft of an object with another draft of this member. */
export function withMember(draft: Draft, name: string, member: Draft): Draft {
  const isObject = typeof draft === 'object' && !Array.isArray(draft);
  // as entries: a member may be named `__proto__`
  const others = isObject ? Object.entries(draft).filter(([other]) => other !== name) : [];
  return Object.fromEntries([...others, [name, member]]) as Draft;
}

/** True for the draft of a union. */
export function isVariant(draft: Draft): draft is { readonly variant: number; readonly value: Draft } {
  return typeof draft === 'object' && 'variant' in draft && typeof draft.variant === 'number';
}

/** The kinds of field that may have null as one of their values; any other field is empty then. */
const mayBeNull: ReadonlySet<Field['kind']> = new Set(['fixed', 'json', 'choice']);

/** The draft that gives this input, as far as it fits the field. */
export function toDraft(field: Field, value: unknown): Draft {
  if (value === undefined || (value === null && !mayBeNull.has(field.kind))) return undefined;
  switch (field.kind) {
    case 'fixed':
      return isSameJson(value, field.value) ? '' : undefined;
    case 'boolean':
      return typeof value === 'boolean' ? value : undefined;
    case 'choice': {
      const index = field.options.findIndex((option) => isSameJson(option, value));
      return index < 0 ? undefined : String(index);
    }
    case 'text':
      return typeof value === 'string' ? value : undefined;
    case 'number':
      return typeof value === 'number' ? String(value) : undefined;
    case 'json':
      return visibleText(JSON.stringify(value, null, 2));
    case 'object': {
      if (typeof value !== 'object' || Array.isArray(value)) return undefined;
      const given = value as Record<string, unknown>;
      return Object.fromEntries(
        field.fields.flatMap(({ name, field: member }) =>
          Object.hasOwn(given, name) ? [[name, toDraft(member, given[name])]] : [],
        ),
      );
    }
    case 'list':
      return Array.isArray(value) ? value.map((item) => toDraft(field.item, item)) : undefined;
    case 'union': {
      // the first variant that gives the value back
      for (const [variant, { field: one }] of field.variants.entries()) {
        const draft = toDraft(one, value);
        const { input, problems } = readDraft(one, draft);
        if (problems.size === 0 && isSameJson(input, value)) return { variant, value: draft };
      }
      return undefined;
    }
  }
}
