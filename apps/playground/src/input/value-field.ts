import { isRecord } from '../ui/data/is-record.ts';
import { visibleText } from '../ui/visible-text.ts';
import { readDraft, toDraft } from './draft.ts';
import { isSameJson } from './same-json.ts';
import { toField, type Field, type NamedField } from './schema-fields.ts';

/**
 * The field for a value that is edited: that of its JSON Schema, and that of the value itself wherever the schema says
 * nothing or cannot hold the value. Undefined is a missing schema. The draft of the field gives the whole value back.
 */
export function fieldForValue(schema: unknown, value: unknown): Field {
  const field = toField(schema);
  return field.kind === 'json' && isRecord(value)
    ? { kind: 'object', fields: othersOf(value, new Set()), optional: false, nullable: false }
    : fit(field, value);
}

function fit(field: Field, value: unknown): Field {
  // a schema that allows anything still shows a text as a text
  const isSimple = typeof value !== 'object' && value !== undefined;
  if (field.kind === 'json' && isSimple) return fieldOf(value, field);
  if (field.kind === 'object' && isRecord(value)) return fitMembers(field, value);
  if (holds(field, value)) return field;
  // an empty text and null are values, although an optional field that is empty is left out
  const required = { ...field, optional: false };
  return holds(required, value) ? required : fieldOf(value, field);
}

/** The members that the schema names, then those that only the value has. */
function fitMembers(
  field: Extract<Field, { kind: 'object' }>,
  value: Readonly<Record<string, unknown>>,
): Field {
  const known = field.fields.map(({ name, field: member }) => ({
    name,
    field: Object.hasOwn(value, name) ? fit(member, value[name]) : member,
  }));
  return { ...field, fields: [...known, ...othersOf(value, new Set(known.map(({ name }) => name)))] };
}

function othersOf(value: Readonly<Record<string, unknown>>, known: ReadonlySet<string>): NamedField[] {
  return Object.entries(value)
    .filter(([name]) => !known.has(name))
    .map(([name, member]) => ({ name, field: { ...fieldOf(member), title: visibleText(name) } }));
}

/** The field of a value without a schema. Objects, lists and null are edited as JSON. */
function fieldOf(value: unknown, { title, description }: Partial<Field> = {}): Field {
  const header = {
    ...(title !== undefined && { title }),
    ...(description !== undefined && { description }),
    optional: false,
    nullable: false,
  };
  switch (typeof value) {
    case 'string':
      return { kind: 'text', format: undefined, ...header };
    case 'number':
      return { kind: 'number', integer: false, ...header };
    case 'boolean':
      return { kind: 'boolean', ...header };
    default:
      return { kind: 'json', ...header };
  }
}

/** True if the draft of the value gives the value back. */
function holds(field: Field, value: unknown): boolean {
  return isSameJson(readDraft(field, toDraft(field, value)).input, value);
}
