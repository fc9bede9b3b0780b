import { pathOf, ROOT } from '../input/draft.ts';
import type { Field } from '../input/schema-fields.ts';

/** An issue as the run writes it: the path, and what is wrong there. */
const issue = /^([^\s:]+): (.+)$/s;

/**
 * The messages of the tool's schema, by the path of the field that shows each. Undefined if `reason` names no field,
 * or one that is not there.
 */
export function placeIssues(reason: string, field: Field): ReadonlyMap<string, string> | undefined {
  const placed = new Map<string, string>();
  for (const part of reason.split('; ')) {
    const [, path, message] = issue.exec(part) ?? [];
    const place = path === undefined ? undefined : placeOf(path.split('.'), field);
    if (place === undefined) return undefined;
    const text = place.rest.length === 0 ? `${message}.` : `${place.rest.join('.')}: ${message}.`;
    placed.set(place.path, placed.has(place.path) ? `${placed.get(place.path)} ${text}` : text);
  }
  return placed;
}

/** The innermost field that a path leads to, and the rest of the path. */
function placeOf(
  keys: readonly string[],
  root: Field,
): { path: string; rest: readonly string[] } | undefined {
  let field = root;
  let path = ROOT;
  for (const [index, key] of keys.entries()) {
    const next = memberAt(field, key);
    if (next === undefined) return index === 0 ? undefined : { path, rest: keys.slice(index) };
    path = pathOf(path, field.kind === 'list' ? Number(key) : key);
    field = next;
  }
  return { path, rest: [] };
}

function memberAt(field: Field, key: string): Field | undefined {
  if (field.kind === 'list') return /^\d+$/.test(key) ? field.item : undefined;
  if (field.kind !== 'object') return undefined;
  return field.fields.find(({ name }) => name === key)?.field;
}
