import type { JSONSchema7 } from 'ai';
import { isRecord } from '../base/is-record.ts';

/** Keywords whose values are data and contain no references. */
const data: ReadonlySet<string> = new Set(['const', 'default', 'enum', 'examples']);
/** Keywords whose values are schemas under names that the author chose. */
const named: ReadonlySet<string> = new Set([
  'properties',
  'patternProperties',
  'dependentSchemas',
  'definitions',
  '$defs',
]);

/**
 * Returns a schema as a part of another one, at `base` (a JSON Pointer with `#`). References to the schema itself,
 * or into it, are rebased.
 */
export function rebaseSchema(schema: JSONSchema7, base: string): JSONSchema7 {
  // a schema with an address of its own is referred to by that address everywhere
  return schema.$id === undefined ? (moved(schema, base) as JSONSchema7) : schema;
}

function moved(value: unknown, base: string): unknown {
  if (Array.isArray(value)) return value.map((entry) => moved(entry, base));
  if (!isRecord(value)) return value;
  return mapFields(value, (child, key) => {
    if (data.has(key)) return child;
    if (key === '$ref' && typeof child === 'string') return child.replace(/^#(?=\/|$)/, base);
    return named.has(key) && isRecord(child)
      ? mapFields(child, (one) => moved(one, base))
      : moved(child, base);
  });
}

function mapFields(
  fields: Record<string, unknown>,
  map: (value: unknown, key: string) => unknown,
): Record<string, unknown> {
  return Object.fromEntries(Object.entries(fields).map(([key, value]) => [key, map(value, key)]));
}
