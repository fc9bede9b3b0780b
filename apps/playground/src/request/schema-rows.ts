import { isRecord } from '../ui/data/is-record.ts';

/** An argument of a tool, as its JSON Schema describes it. */
export type SchemaRow = {
  name: string;
  type: string;
  required: boolean;
  description: string | undefined;
  /** How deep it is inside other arguments. */
  depth: number;
};

/** At most this many rows and levels; the rest is in the raw schema. */
const MAX_ROWS = 100;
const DEEPEST = 4;

/** The arguments of a tool, those inside an object below it. Empty if the schema is not that of an object. */
export function schemaRows(schema: unknown): SchemaRow[] {
  const rows: SchemaRow[] = [];
  addRows(rows, schema, 0);
  return rows;
}

function addRows(rows: SchemaRow[], schema: unknown, depth: number): void {
  if (depth > DEEPEST || !isRecord(schema) || !isRecord(schema['properties'])) return;
  const required: readonly unknown[] = Array.isArray(schema['required']) ? schema['required'] : [];
  for (const [name, property] of Object.entries(schema['properties'])) {
    if (rows.length >= MAX_ROWS) return;
    const { description } = isRecord(property) ? property : {};
    rows.push({
      name,
      type: typeOf(property, 0),
      required: required.includes(name),
      description: typeof description === 'string' ? description : undefined,
      depth,
    });
    if (!isRecord(property)) continue;
    addRows(rows, property, depth + 1);
    if (isRecord(property['items'])) addRows(rows, property['items'], depth + 1);
  }
}

/** A schema's type in a few words: `string`, `"celsius" | "fahrenheit"`, `list of objects`. */
function typeOf(schema: unknown, depth: number): string {
  if (!isRecord(schema) || depth > DEEPEST) return 'anything';
  const { type, enum: values, anyOf, oneOf, items, $ref } = schema;
  if ('const' in schema) return JSON.stringify(schema['const']) ?? 'anything';
  if (Array.isArray(values)) return joined(values.map((value) => JSON.stringify(value) ?? 'null'));
  const variants = anyOf ?? oneOf;
  if (Array.isArray(variants)) return joined(variants.map((variant) => typeOf(variant, depth + 1)));
  if (typeof $ref === 'string') return $ref.slice($ref.lastIndexOf('/') + 1);
  if (type === 'array') return items === undefined ? 'list' : `list of ${typeOf(items, depth + 1)}`;
  if (Array.isArray(type)) return joined(type.map(String));
  return typeof type === 'string' ? type : 'anything';
}

/** A type has at most this many variants in its line. */
const MAX_VARIANTS = 12;

function joined(variants: readonly string[]): string {
  const rest = variants.length - MAX_VARIANTS;
  return [...variants.slice(0, MAX_VARIANTS), ...(rest > 0 ? [`${rest} more`] : [])].join(' | ');
}
