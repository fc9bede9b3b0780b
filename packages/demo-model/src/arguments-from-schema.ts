import { fieldFor, type Hints, mentions } from './hints.ts';
import { makeNumber } from './number-values.ts';
import { merge, resolveSchema, type Schema, type SchemaRoot, typeOf } from './schema.ts';
import { isTextMentioned, makeText } from './text-values.ts';

/** The position of a value in the arguments. */
type ValuePosition = {
  root: SchemaRoot;
  hints: Hints;
  name: string;
  index: number;
  depth: number;
  used: Set<number>;
};

// Recursive schemas end here; schemas written by hand are not this deep.
const deepest = 6;
// More than schemas written by hand need; the model runs where it must not keep the page busy.
const mostSteps = 10_000;
const mostItems = 100;
// A recursive schema whose every value is required has no end.
const mostDepth = 50;

/**
 * Arguments that fit a JSON schema: values from the conversation if they fit, otherwise the schema's own
 * defaults, examples and values, otherwise something plausible for the property's name. The same input gives
 * the same arguments.
 */
export function argumentsFromSchema(schema: unknown, hints: Hints): unknown {
  return make(schema, {
    root: { schema, left: mostSteps },
    hints,
    name: '',
    index: 0,
    depth: 0,
    used: new Set(),
  });
}

function make(node: unknown, position: ValuePosition): unknown {
  position.root.left -= 1;
  if (position.root.left <= 0 || position.depth > mostDepth) return null;
  const schema = resolveSchema(node, position.root);
  const { hints } = position;
  if ('const' in schema) return schema.const;
  if (schema.enum !== undefined) return choose(schema, position);
  const variants = schema.anyOf ?? schema.oneOf;
  if (variants !== undefined) return makeVariant(schema, variants, position);
  const type = typeOf(schema);
  if (schema.default !== undefined && !isMentioned(schema, type, position)) return schema.default;
  if (schema.examples?.[0] !== undefined && !isMentioned(schema, type, position)) return schema.examples[0];
  switch (type) {
    case 'object':
      return makeObject(schema, position);
    case 'array':
      return makeArray(schema, position);
    case 'integer':
    case 'number':
      return makeNumber(schema, type === 'integer', position.name, hints, position.used);
    case 'boolean':
      // Rules never choose an effect that cannot be undone.
      return !/force|overwrite|delete|destroy|recursive|permanent/i.test(position.name);
    case 'null':
      return null;
    default:
      return makeText(schema, position, hints);
  }
}

/** True if the request contains the value; each value that is looked for is a step. */
function isNamed(value: unknown, { root, hints }: ValuePosition): boolean {
  root.left -= 1;
  return root.left > 0 && mentions(hints.request, value);
}

function choose({ enum: values = [], default: preset }: Schema, position: ValuePosition): unknown {
  const known = fieldFor(position.name, position.hints.fields);
  return (
    values.find((value) => isNamed(value, position)) ??
    values.find((value) => known !== undefined && value === known) ??
    preset ??
    values.find((value) => value !== null) ??
    null
  );
}

function makeVariant(schema: Schema, variants: readonly unknown[], position: ValuePosition): unknown {
  if (schema.default !== undefined && position.depth > 0) return schema.default;
  const { anyOf: _any, oneOf: _one, ...rest } = schema;
  const resolved = variants.map((variant) => resolveSchema(variant, position.root));
  const usable = resolved.filter((variant) => typeOf(variant) !== 'null' && variant.const !== null);
  const named = usable.find((variant) => fixedValues(variant).some((value) => isNamed(value, position)));
  // Deep inside a recursive schema, take the variant that ends soonest.
  const ending = position.depth >= deepest ? soonestEnding(resolved, position.root) : undefined;
  const picked = ending ?? named ?? usable[0] ?? resolved[0] ?? {};
  return make(merge(rest, picked), position);
}

/** How many levels below a variant are searched for its end. */
const mostLevels = 4;

/** The variant whose required values need the fewest levels; undefined if none ends within {@link mostLevels}. */
function soonestEnding(variants: readonly Schema[], root: SchemaRoot): Schema | undefined {
  for (let levels = 0; levels <= mostLevels; levels += 1) {
    const found = variants.find((variant) => endsWithin(variant, levels, root));
    if (found !== undefined) return found;
  }
  return undefined;
}

function endsWithin(node: unknown, levels: number, root: SchemaRoot): boolean {
  const schema = resolveSchema(node, root);
  if ('const' in schema || schema.enum !== undefined) return true;
  const variants = schema.anyOf ?? schema.oneOf;
  const below = (one: unknown): boolean => levels > 0 && endsWithin(one, levels - 1, root);
  if (variants !== undefined) return variants.some(below);
  const { properties = {}, required = [], minItems = 0 } = schema;
  switch (typeOf(schema)) {
    case 'object':
      return required.every((name) =>
        below(Object.hasOwn(properties, name) ? properties[name] : schema.additionalProperties),
      );
    case 'array': {
      const tuple = schema.prefixItems ?? (Array.isArray(schema.items) ? schema.items : undefined);
      return tuple !== undefined ? tuple.every(below) : minItems === 0 || below(schema.items);
    }
    default:
      return true;
  }
}

/** The values that distinguish a variant from the others. */
function fixedValues(variant: Schema): unknown[] {
  const values = variant.const !== undefined ? [variant.const] : [];
  for (const property of Object.values(variant.properties ?? {})) {
    const { const: fixed } = property as Schema;
    if (fixed !== undefined) values.push(fixed);
  }
  return values;
}

function makeObject(schema: Schema, position: ValuePosition): Record<string, unknown> {
  const { properties = {}, required = [], additionalProperties } = schema;
  const below = (name: string): ValuePosition => ({
    ...position,
    name,
    index: position.index,
    depth: position.depth + 1,
  });
  const result: [string, unknown][] = [];
  const needed = new Set(required);
  for (const [name, property] of Object.entries(properties)) {
    if (needed.has(name) || isWorthGiving(property, below(name))) {
      result.push([name, make(property, below(name))]);
    }
  }
  for (const name of required) {
    // Records with fixed keys list them as required, and describe their values once.
    if (!Object.hasOwn(properties, name)) result.push([name, make(additionalProperties, below(name))]);
  }
  if (isOpen(schema) && position.depth < deepest) {
    const key = String(make(schema.propertyNames ?? { type: 'string' }, below('key')));
    result.push([key, make(additionalProperties, below(key))]);
  }
  // Own properties only: a schema may name a property `__proto__`.
  return Object.fromEntries(result);
}

/** True for a record: an object whose properties are only described all together. */
function isOpen({ properties = {}, required = [], additionalProperties }: Schema): boolean {
  return (
    Object.keys(properties).length === 0 &&
    required.length === 0 &&
    typeof additionalProperties === 'object' &&
    additionalProperties !== null &&
    Object.keys(additionalProperties).length > 0
  );
}

/** True for an optional property that has a default, or that the conversation mentions. */
function isWorthGiving(node: unknown, position: ValuePosition): boolean {
  if (position.depth >= deepest || position.root.left <= 0) return false;
  const schema = resolveSchema(node, position.root);
  if (schema.default !== undefined) return true;
  if (schema.enum !== undefined) return schema.enum.some((value) => isNamed(value, position));
  return isMentioned(schema, typeOf(schema), position);
}

function isMentioned(schema: Schema, type: string | undefined, { name, hints }: ValuePosition): boolean {
  if (type === 'string') return isTextMentioned(schema, name, hints);
  if (type === 'number' || type === 'integer') {
    const known = makeNumber(schema, type === 'integer', name, { ...hints, numbers: [] }, new Set());
    return mentions(hints.request, known) || fieldFor(name, hints.fields) === known;
  }
  return false;
}

function makeArray(schema: Schema, position: ValuePosition): unknown[] {
  const { minItems = 0, maxItems = Infinity } = schema;
  const below = (index: number): ValuePosition => ({ ...position, index, depth: position.depth + 1 });
  // Draft 7 writes a tuple as `items`, 2020-12 as `prefixItems`.
  const tuple = schema.prefixItems ?? (Array.isArray(schema.items) ? schema.items : undefined);
  if (tuple !== undefined) return tuple.map((item, index) => make(item, below(index)));
  if (position.depth >= deepest && minItems === 0) return [];
  const item = resolveSchema(schema.items, position.root);
  const known = knownItems(item, position);
  if (known !== undefined && known.length >= minItems) return known.slice(0, maxItems);
  const variants = item.anyOf ?? item.oneOf;
  const usual = variants !== undefined && isDiscriminated(variants, position.root) ? variants.length : 1;
  const length = Math.min(Math.max(usual, minItems), Math.max(maxItems, minItems), mostItems);
  const items: unknown[] = [];
  for (let index = 0; index < length && position.root.left > 0; index += 1) {
    // Each kind of a discriminated union once, so that a composite tool shows all its parts.
    const node = usual > 1 ? variants?.[index % usual] : schema.items;
    // They describe the same things, whereas items of one kind should differ.
    items.push(make(node, { ...below(index), index: usual > 1 ? 0 : index }));
  }
  return items;
}

/** A list that a tool or a variable has under this name, if any text or number fits. */
function knownItems(item: Schema, { name, hints }: ValuePosition): unknown[] | undefined {
  const known = fieldFor(name, hints.fields);
  const { description: _description, title: _title, ...rest } = item as Schema & Record<string, unknown>;
  const isPlain = Object.keys(rest).every((key) => key === 'type');
  if (!Array.isArray(known) || !isPlain) return undefined;
  const type = typeOf(item);
  return known.every((value) => typeof value === type) ? known : undefined;
}

function isDiscriminated(variants: readonly unknown[], root: SchemaRoot): boolean {
  return (
    variants.length <= 8 && variants.every((variant) => fixedValues(resolveSchema(variant, root)).length > 0)
  );
}
