import { pathOf, ROOT } from '../input/draft.ts';
import type { Field } from '../input/schema-fields.ts';

/** An issue as the run writes it: the path, and what is wrong there. */
const issue = /^([^\s:]+): (.+)$/s;

/**
 * The messages of the tool's schema, by the path of the field that shows each. Undefined if `reason` names no field,
 * or one that is not there.
 */
export function placeIssues(reason: string, field: Field): ReadonlyMap<string, string> | undefined {
  const byField = new Map<string, string>();
  for (const part of reason.split('; ')) {
    const [, path, message] = issue.exec(part) ?? [];
    const shown = path === undefined ? undefined : nearestShown(path.split('.'), field);
    if (shown === undefined) return undefined;
    const text = shown.rest.length === 0 ? `${message}.` : `${shown.rest.join('.')}: ${message}.`;
    byField.set(shown.path, byField.has(shown.path) ? `${byField.get(shown.path)} ${text}` : text);
  }
  return byField;
}

/** The innermost field that a path leads to, and the rest of the path. */
function nearestShown(
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
