import { isVariant, memberOf, pathOf, ROOT, type Draft } from './draft.ts';
import type { Field } from './schema-fields.ts';

/**
 * The path of the innermost field that the keys of a path lead to, and the keys below it. Undefined if the form has no
 * such field. Which fields a union has, only its draft says.
 */
export function nearestField(
  root: Field,
  keys: readonly string[],
  draft?: Draft,
): { path: string; rest: readonly string[] } | undefined {
  let [field, typed] = chosenIn(root, draft);
  let path = ROOT;
  for (const [index, key] of keys.entries()) {
    const next = memberAt(field, key);
    if (next === undefined)
      return index === 0 && field.kind === 'object' ? undefined : { path, rest: keys.slice(index) };
    path = pathOf(path, field.kind === 'list' ? Number(key) : key);
    [field, typed] = chosenIn(next, memberIn(typed, key));
  }
  return { path, rest: [] };
}

/** The chosen variant of a union, and its draft. */
function chosenIn(field: Field, draft: Draft): readonly [Field, Draft] {
  const variant = field.kind === 'union' && isVariant(draft) ? field.variants[draft.variant] : undefined;
  return variant !== undefined && isVariant(draft) ? [variant.field, draft.value] : [field, draft];
}

function memberIn(draft: Draft, key: string): Draft {
  return Array.isArray(draft) ? (draft as readonly Draft[])[Number(key)] : memberOf(draft, key);
}

function memberAt(field: Field, key: string): Field | undefined {
  if (field.kind === 'list') return /^\d+$/.test(key) ? field.item : undefined;
  if (field.kind !== 'object') return undefined;
  return field.fields.find(({ name }) => name === key)?.field;
}
