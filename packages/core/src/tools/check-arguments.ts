import { CuelineError } from '../base/errors.ts';
import { isRecord } from '../base/is-record.ts';

/** Types without named members, as JSON Schema, zod and valibot call them. */
const nameless: ReadonlySet<unknown> = new Set(
  'string number integer bigint boolean null undefined void date array tuple set map enum literal picklist'.split(
    ' ',
  ),
);

/** What a JSON Schema without a type has. */
const keywords = ['$ref', 'allOf', 'anyOf', 'const', 'enum', 'oneOf', 'properties'];

/**
 * Refuses values that are easily mistaken for the schema of a tool's arguments, which always have names.
 * @throws CuelineError `invalid_definition`
 */
export function checkArguments(name: string, schema: unknown): void {
  if (!isRecord(schema)) return;
  const { type } = schema;
  if (nameless.has(type)) {
    throw new CuelineError(
      'invalid_definition',
      `The schema of tool ${name} has the type ${String(type)}, but a tool's arguments have names. Write z.object({ … }).`,
    );
  }
}

/**
 * Refuses the fields of an object in place of its schema, which would be JSON Schema that describes nothing.
 * @throws CuelineError `invalid_definition`
 */
export function checkIsSchema(name: string, schema: object): void {
  if (('type' in schema && typeof schema.type === 'string') || keywords.some((word) => word in schema))
    return;
  const [field] = Object.entries(schema).find(([, value]) => isSchemaOfField(value)) ?? [];
  if (field === undefined) return;
  throw new CuelineError(
    'invalid_definition',
    `The schema of ${name} is an object of schemas. Write z.object({ ${field}: … }).`,
  );
}

/** True for a schema of any library, and for JSON Schema or its type, such as 'string'. */
function isSchemaOfField(value: unknown): boolean {
  return isSchema(value) || nameless.has(isRecord(value) ? value['type'] : value);
}

function isSchema(value: unknown): boolean {
  return (typeof value === 'function' || isRecord(value)) && '~standard' in value;
}
