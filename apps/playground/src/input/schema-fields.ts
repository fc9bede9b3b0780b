import { isRecord } from '../ui/data/is-record.ts';

/** A field of a form for JSON. */
export type Field = FieldHeader &
  (
    | { kind: 'text'; format: string | undefined; minLength?: number; maxLength?: number }
    | { kind: 'number'; integer: boolean; minimum?: number; maximum?: number; above?: number; below?: number }
    | { kind: 'boolean' }
    | { kind: 'choice'; options: readonly unknown[] }
    | { kind: 'fixed'; value: unknown }
    | { kind: 'object'; fields: readonly NamedField[] }
    | { kind: 'list'; item: Field; minItems?: number; maxItems?: number }
    | { kind: 'union'; variants: readonly { label: string; field: Field }[] }
    | { kind: 'json'; example?: string }
  );

/** A member of an object. */
export type NamedField = { readonly name: string; readonly field: Field };

type FieldHeader = {
  title?: string;
  description?: string;
  /** True if the value may be left out. */
  optional: boolean;
  /** True if null is a value. */
  nullable: boolean;
  /** The value that the schema uses instead; missing if it has none. */
  default?: unknown;
};

type Schema = Readonly<Record<string, unknown>>;

/** Deeper values are edited as JSON. */
const MAX_LEVELS = 6;
/** Members of one object, choices of one field, and variants of one union. */
const MAX_MEMBERS = 60;
const MAX_CHOICES = 200;
const MAX_VARIANTS = 8;
/** Fields of a form. A small schema can describe millions, with definitions that refer to each other. */
const MAX_FIELDS = 2_000;
/** The longest label and help, in characters. */
const MAX_LABEL_LENGTH = 80;
const MAX_HELP_LENGTH = 500;

/** The field of a JSON Schema. If there is no field for a schema, it is edited as JSON. */
export function toField(schema: unknown): Field {
  if (!isRecord(schema)) return anyValue;
  const budget = { left: MAX_FIELDS };
  return fieldOf(schema, { root: schema, level: 0, refs: [], optional: false, budget });
}

/** What JSON looks like. */
export const JSON_EXAMPLE = '{"name": "Ada"}';

/** The field of a value whose schema gives no form. */
export const anyValue: Field = { kind: 'json', title: 'Input as JSON', optional: true, nullable: false };

/** The field of the input of a prompt without an input schema. It may stay empty, as the prompt may do without it. */
export function withoutSchema(prompt: string): Field {
  const written = `definePrompt('${prompt}', …, { input: z.object({ … }) })`;
  return {
    ...anyValue,
    kind: 'json',
    example: JSON_EXAMPLE,
    description: `This prompt takes an input, but has no input schema. Add one to get a form and to check the input of each run: ${written}`,
  };
}

type Context = {
  root: Schema;
  level: number;
  refs: readonly string[];
  optional: boolean;
  /** How many further fields the form may have. Values beyond them are edited as JSON. */
  budget: { left: number };
};

function fieldOf(given: Schema, context: Context): Field {
  const { budget } = context;
  budget.left -= 1;
  const { schema, refs } = resolve(given, context);
  if (schema === undefined || budget.left < 0) return { kind: 'json', ...headerOf(given, context, false) };
  const inner = { ...context, refs };
  const variants = listOf(schema['anyOf']) ?? listOf(schema['oneOf']);
  if (variants !== undefined) return unionOf(schema, variants, inner);
  const { type } = schema;
  if (Array.isArray(type)) {
    return unionOf(
      schema,
      type.map((one) => ({ ...withoutHeader(schema), type: one })),
      inner,
    );
  }
  const header = headerOf(schema, context, false);
  if ('const' in schema) return { kind: 'fixed', value: schema['const'], ...header };
  const { enum: options } = schema;
  if (Array.isArray(options) && options.length > 0 && options.length <= MAX_CHOICES) {
    return { kind: 'choice', options, ...header };
  }
  switch (type) {
    case 'string':
      return {
        kind: 'text',
        format: textIn(schema['format'], MAX_LABEL_LENGTH),
        ...bounds(schema, { minLength: 'minLength', maxLength: 'maxLength' }),
        ...header,
      };
    case 'number':
    case 'integer':
      return {
        kind: 'number',
        integer: type === 'integer',
        ...bounds(schema, {
          minimum: 'minimum',
          maximum: 'maximum',
          above: 'exclusiveMinimum',
          below: 'exclusiveMaximum',
        }),
        ...header,
      };
    case 'boolean':
      return { kind: 'boolean', ...header };
    case 'null':
      return { kind: 'fixed', value: null, ...header };
    case 'object':
      return objectOf(schema, header, inner) ?? { kind: 'json', ...header };
    case 'array':
      return listField(schema, header, inner) ?? { kind: 'json', ...header };
    default:
      return { kind: 'json', ...header };
  }
}

/** The schema that a reference points to; undefined if it refers to itself or to nothing. */
function resolve(
  schema: Schema,
  { root, refs }: Pick<Context, 'root' | 'refs'>,
): { schema: Schema | undefined; refs: readonly string[] } {
  const { $ref, allOf } = schema;
  if (typeof $ref === 'string') {
    const target = refs.includes($ref) ? undefined : targetOf(root, $ref);
    if (target === undefined) return { schema: undefined, refs };
    const { $ref: _, ...rest } = schema;
    return resolve({ ...target, ...rest }, { root, refs: [...refs, $ref] });
  }
  const only = listOf(allOf);
  if (only?.length === 1) {
    const { allOf: _, ...rest } = schema;
    return resolve({ ...only[0], ...rest }, { root, refs });
  }
  return { schema: only === undefined ? schema : undefined, refs };
}

function targetOf(root: Schema, ref: string): Schema | undefined {
  if (!ref.startsWith('#')) return undefined;
  let found: unknown = root;
  for (const step of ref.split('/').slice(1)) {
    const name = step.replaceAll('~1', '/').replaceAll('~0', '~');
    found = isRecord(found) && Object.hasOwn(found, name) ? found[name] : undefined;
  }
  return isRecord(found) ? found : undefined;
}

function unionOf(schema: Schema, all: readonly Schema[], context: Context): Field {
  const variants = all.filter(({ type, ...rest }) => type !== 'null' && rest['const'] !== null);
  const header = headerOf(schema, context, variants.length < all.length);
  const [only] = variants;
  if (variants.length === 1 && only !== undefined) {
    const field = fieldOf(only, { ...context, optional: false });
    // a fixed value leaves no way to choose null
    if (field.kind === 'fixed' && header.nullable)
      return { kind: 'choice', options: [field.value], ...header };
    return { ...field, ...header };
  }
  const constants = variants.map((variant) => ('const' in variant ? [variant['const']] : variant['enum']));
  if (constants.length > 0 && constants.every((values) => Array.isArray(values))) {
    const options = constants.flat().slice(0, MAX_CHOICES);
    return { kind: 'choice', options, ...header };
  }
  if (variants.length === 0 || variants.length > MAX_VARIANTS || context.level >= MAX_LEVELS) {
    return { kind: 'json', ...header };
  }
  const below = { ...context, level: context.level + 1, optional: false };
  return {
    kind: 'union',
    variants: variants.map((variant, index) => {
      const field = fieldOf(variant, below);
      return { label: labelOf(variant, field) ?? `Form ${index + 1}`, field };
    }),
    ...header,
  };
}

/** What distinguishes a variant: its title, its fixed member, or its type. */
function labelOf(variant: Schema, field: Field): string | undefined {
  if (field.title !== undefined) return field.title;
  if (field.kind === 'object') {
    const mark = field.fields.find((member) => member.field.kind === 'fixed');
    if (mark?.field.kind === 'fixed') return String(mark.field.value).slice(0, MAX_LABEL_LENGTH);
    return (
      field.fields
        .map(({ name }) => name)
        .join(', ')
        .slice(0, MAX_LABEL_LENGTH) || undefined
    );
  }
  if (field.kind === 'fixed') return String(field.value).slice(0, MAX_LABEL_LENGTH);
  return (
    { text: 'text', number: 'number', boolean: 'yes or no', list: 'list', choice: 'choice' }[
      field.kind as string
    ] ?? textIn(variant['type'], MAX_LABEL_LENGTH)
  );
}

function objectOf(schema: Schema, header: FieldHeader, context: Context): Field | undefined {
  const { properties, required } = schema;
  if (!isRecord(properties) || context.level >= MAX_LEVELS) return undefined;
  const entries = Object.entries(properties);
  if (entries.length === 0 || entries.length > MAX_MEMBERS) return undefined;
  const needed = new Set<unknown>(Array.isArray(required) ? required : []);
  const below = { ...context, level: context.level + 1 };
  const fields = entries.map(([name, member]) => ({
    name,
    field: isRecord(member)
      ? fieldOf(member, { ...below, optional: !needed.has(name) })
      : ({ kind: 'json', optional: !needed.has(name), nullable: false } as const),
  }));
  return { kind: 'object', fields, ...header };
}

function listField(schema: Schema, header: FieldHeader, context: Context): Field | undefined {
  const { items, prefixItems } = schema;
  if (!isRecord(items) || prefixItems !== undefined || context.level >= MAX_LEVELS) return undefined;
  const item = fieldOf(items, { ...context, level: context.level + 1, optional: false });
  return { kind: 'list', item, ...bounds(schema, { minItems: 'minItems', maxItems: 'maxItems' }), ...header };
}

function headerOf(schema: Schema, { optional }: Context, nullable: boolean): FieldHeader {
  const title = textIn(schema['title'], MAX_LABEL_LENGTH);
  const description = textIn(schema['description'], MAX_HELP_LENGTH);
  return {
    ...(title !== undefined && { title }),
    ...(description !== undefined && { description }),
    optional: optional || 'default' in schema,
    nullable,
    ...('default' in schema && { default: schema['default'] }),
  };
}

/** What belongs to the field as a whole, not to each of its types. */
function withoutHeader(schema: Schema): Schema {
  const header = new Set(['title', 'description', 'default']);
  return Object.fromEntries(Object.entries(schema).filter(([name]) => !header.has(name)));
}

function bounds<Name extends string>(
  schema: Schema,
  names: Readonly<Record<Name, string>>,
): Partial<Record<Name, number>> {
  const found: Partial<Record<Name, number>> = {};
  for (const [name, member] of Object.entries(names) as [Name, string][]) {
    const value = schema[member];
    // zod gives every integer the bounds of exact numbers
    if (typeof value === 'number' && Math.abs(value) < Number.MAX_SAFE_INTEGER) found[name] = value;
  }
  return found;
}

function textIn(value: unknown, longest: number): string | undefined {
  return typeof value === 'string' && value.trim() !== '' ? value.slice(0, longest) : undefined;
}

function listOf(value: unknown): readonly Schema[] | undefined {
  return Array.isArray(value) ? value.filter(isRecord) : undefined;
}
