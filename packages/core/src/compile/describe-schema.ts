import { isRecord } from '../base/is-record.ts';

/** The description of a tool's argument. `label` is its name, with a question mark if it is optional. */
export type Property = { label: string; type: string; description?: string };

/** Returns a JSON Schema in TypeScript's notation: `{ city: string, days?: integer }`. */
export function describeSchema(schema: unknown): string {
  if (!isRecord(schema)) return 'unknown';
  const { type, enum: values, anyOf, oneOf, allOf, items, $ref } = schema;
  if ('const' in schema) return JSON.stringify(schema['const']);
  if (Array.isArray(values)) return values.map((value) => JSON.stringify(value)).join(' | ');
  const variants = anyOf ?? oneOf;
  if (Array.isArray(variants)) return variants.map(describeSchema).join(' | ');
  if (Array.isArray(allOf)) return allOf.map(describeItem).join(' & ');
  if (typeof $ref === 'string') return $ref.slice($ref.lastIndexOf('/') + 1);
  if (type === 'array') return `${describeItem(items)}[]`;
  const properties = propertiesOf(schema)?.map((property) => `${property.label}: ${property.type}`);
  if (properties !== undefined) return properties.length === 0 ? '{}' : `{ ${properties.join(', ')} }`;
  if (Array.isArray(type)) return type.join(' | ');
  return typeof type === 'string' ? type : 'unknown';
}

/** Returns the properties of an object's schema; undefined for any other schema. */
export function propertiesOf(schema: unknown): Property[] | undefined {
  if (!isRecord(schema) || !isRecord(schema['properties'])) return undefined;
  const { properties, required } = schema;
  const needed: readonly unknown[] = Array.isArray(required) ? required : [];
  return Object.entries(properties as object).map(([name, property]: [string, unknown]) => {
    const description: unknown = isRecord(property) ? property['description'] : undefined;
    return {
      label: needed.includes(name) ? name : `${name}?`,
      type: describeSchema(property),
      ...(typeof description === 'string' ? { description } : {}),
    };
  });
}

/** Returns a schema as a part of another one, in brackets if it is a union or an intersection. */
function describeItem(schema: unknown): string {
  const text = describeSchema(schema);
  const keys = ['anyOf', 'oneOf', 'allOf', 'enum'];
  const several = isRecord(schema) && (Array.isArray(schema['type']) || keys.some((key) => key in schema));
  return several ? `(${text})` : text;
}
