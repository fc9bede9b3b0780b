import type { EditableParameter } from './editable-prompt.ts';

type Type = EditableParameter['type'];
type AllowedValues = EditableParameter['allowedValues'];

/** Returns a typed text as a value of the type. A text that does not fit stays a text, and the library reports it. */
export function toValue(text: string, type: Type): string | number | boolean {
  if (type === 'boolean' && (text === 'true' || text === 'false')) return text === 'true';
  if (type === 'number' && text.trim() !== '' && Number.isFinite(Number(text))) return Number(text);
  return text;
}

/** Returns a typed text as one of the allowed values. */
export function toListed(text: string, type: Type): string | number {
  const value = toValue(text, type === 'number' ? 'number' : 'string');
  return typeof value === 'boolean' ? text : value;
}

/** A value in double quotes, which may have commas, or any other value. */
const listedValue = /\s*(?:("(?:[^"\\]|\\.)*")\s*(?=,|$)|([^,]*))(?:,|$)/gy;

/** Reads a list with commas between the values; empty ones are left out. Undefined if it has no value. */
export function readAllowedValues(text: string, type: Type): AllowedValues {
  const listed = [...text.matchAll(listedValue)].flatMap(([, quoted, plain = '']) => {
    const value = quoted === undefined ? plain.trim() : unquoted(quoted);
    return value === '' && quoted === undefined ? [] : [toListed(value, type)];
  });
  return listed.length === 0 ? undefined : listed;
}

/** Writes allowed values as {@link readAllowedValues} reads them. */
export function writeAllowedValues(values: AllowedValues): string {
  const written = (values ?? []).map((value) => {
    const text = String(value);
    return text === '' || text.startsWith('"') || text.includes(',') || text.trim() !== text
      ? JSON.stringify(text)
      : text;
  });
  return written.join(', ');
}

function unquoted(text: string): string {
  try {
    return String(JSON.parse(text));
  } catch {
    return text;
  }
}
