import { nearestField } from '../input/nearest-field.ts';
import type { Field } from '../input/schema-fields.ts';

/** An issue as the run writes it: the path, and what is wrong there. */
const issue = /^([^\s:]+): (.+)$/s;

/**
 * The messages of the tool's schema, by the path of the field that shows each. Undefined if `reason` names no field,
 * or one that is not there.
 */
export function issuesByField(reason: string, field: Field): ReadonlyMap<string, string> | undefined {
  const byField = new Map<string, string>();
  for (const part of reason.split('; ')) {
    const [, path, message] = issue.exec(part) ?? [];
    const shown = path === undefined ? undefined : nearestField(field, path.split('.'));
    if (shown === undefined) return undefined;
    const text = shown.rest.length === 0 ? `${message}.` : `${shown.rest.join('.')}: ${message}.`;
    byField.set(shown.path, byField.has(shown.path) ? `${byField.get(shown.path)} ${text}` : text);
  }
  return byField;
}
