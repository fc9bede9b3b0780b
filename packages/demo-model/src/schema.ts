/** The parts of JSON Schema that tools use. */
export type Schema = {
  $ref?: string;
  type?: string | readonly string[];
  const?: unknown;
  enum?: readonly unknown[];
  default?: unknown;
  examples?: readonly unknown[];
  description?: string;
  format?: string;
  pattern?: string;
  /** Of every schema that was merged into this one. */
  patterns?: readonly string[];
  minLength?: number;
  maxLength?: number;
  minimum?: number;
  maximum?: number;
  exclusiveMinimum?: number;
  exclusiveMaximum?: number;
  multipleOf?: number;
  items?: unknown;
  prefixItems?: readonly unknown[];
  minItems?: number;
  maxItems?: number;
  properties?: Readonly<Record<string, unknown>>;
  required?: readonly string[];
  additionalProperties?: unknown;
  propertyNames?: unknown;
  anyOf?: readonly unknown[];
  oneOf?: readonly unknown[];
  allOf?: readonly unknown[];
};

const mostReferences = 20;
const longestReference = 1_000;

/** A whole schema, which references are relative to, and how many steps are left for reading it. */
export type SchemaRoot = { readonly schema: unknown; left: number };

/** Returns the schema with its references resolved and `allOf` merged; an empty one once `root.left` is used up. */
export function resolveSchema(node: unknown, root: SchemaRoot): Schema {
  root.left -= 1;
  if (root.left <= 0) return {};
  let schema = toSchema(node);
  for (let count = 0; schema.$ref !== undefined && count < mostReferences; count += 1) {
    const { $ref, ...rest } = schema;
    schema = { ...toSchema(follow($ref, root.schema)), ...rest };
  }
  if (schema.allOf === undefined) return withPatterns(schema);
  const { allOf, ...rest } = schema;
  return allOf.reduce<Schema>((merged, part) => merge(merged, resolveSchema(part, root)), withPatterns(rest));
}

/** A schema that requires both. */
export function merge(a: Schema, b: Schema): Schema {
  return withoutUndefined({
    ...a,
    ...b,
    patterns: [...(a.patterns ?? []), ...(b.patterns ?? [])],
    minLength: highest(a.minLength, b.minLength),
    maxLength: lowest(a.maxLength, b.maxLength),
    minimum: highest(a.minimum, b.minimum),
    maximum: lowest(a.maximum, b.maximum),
    exclusiveMinimum: highest(a.exclusiveMinimum, b.exclusiveMinimum),
    exclusiveMaximum: lowest(a.exclusiveMaximum, b.exclusiveMaximum),
    minItems: highest(a.minItems, b.minItems),
    maxItems: lowest(a.maxItems, b.maxItems),
    properties:
      a.properties && b.properties ? { ...a.properties, ...b.properties } : (b.properties ?? a.properties),
    required: [...new Set([...(a.required ?? []), ...(b.required ?? [])])],
  });
}

/** The schema's type, derived from its other keywords if it names none; of several the first that is not null. */
export function typeOf(schema: Schema): string | undefined {
  const { type } = schema;
  if (typeof type === 'string') return type;
  if (type !== undefined) return type.find((one) => one !== 'null') ?? 'null';
  if (schema.properties !== undefined || schema.required !== undefined) return 'object';
  if (schema.items !== undefined || schema.prefixItems !== undefined) return 'array';
  if (schema.minimum !== undefined || schema.maximum !== undefined) return 'number';
  return undefined;
}

function toSchema(node: unknown): Schema {
  return typeof node === 'object' && node !== null ? node : {};
}

function withPatterns(schema: Schema): Schema {
  return schema.pattern === undefined || schema.patterns !== undefined
    ? schema
    : { ...schema, patterns: [schema.pattern] };
}

function follow(reference: string, root: unknown): unknown {
  if (!reference.startsWith('#') || reference.length > longestReference) return {};
  return reference
    .slice(1)
    .split('/')
    .filter((step) => step !== '')
    .map((step) => decodeURIComponent(step).replaceAll('~1', '/').replaceAll('~0', '~'))
    .reduce<unknown>((node, step) => (toSchema(node) as Record<string, unknown>)[step], root);
}

function highest(a: number | undefined, b: number | undefined): number | undefined {
  return a === undefined || b === undefined ? (a ?? b) : Math.max(a, b);
}

function lowest(a: number | undefined, b: number | undefined): number | undefined {
  return a === undefined || b === undefined ? (a ?? b) : Math.min(a, b);
}

function withoutUndefined(value: Record<string, unknown>): Schema {
  return Object.fromEntries(Object.entries(value).filter(([, item]) => item !== undefined));
}
