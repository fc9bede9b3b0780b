import { asSchema, type FlexibleSchema } from 'ai';
import { thrownText } from '../base/error-source.ts';
import { CuelineError } from '../base/errors.ts';
import { toSchema, type ToolSchema } from './schema.ts';
import { validateOf, type SchemaResult, type Validate } from './standard-schema.ts';

/**
 * Validates with a schema that is not a Standard Schema: the AI SDK's own, or plain JSON Schema, which zod 4 reads.
 * @throws CuelineError `invalid_definition` for JSON Schema that zod cannot read
 */
export async function validateJson(schema: ToolSchema, value: unknown): Promise<SchemaResult> {
  const { validate, jsonSchema } = asSchema(toSchema('the input', schema));
  if (validate === undefined) return (await readJsonSchema(await jsonSchema))(value);
  const result = await validate(value);
  if (result.success) return { value: result.value };
  const { cause } = result.error;
  const issues = Array.isArray(cause) ? cause : (cause as { issues?: unknown } | undefined)?.issues;
  return { issues: Array.isArray(issues) ? (issues as unknown[]) : [{ message: result.error.message }] };
}

async function readJsonSchema(jsonSchema: object): Promise<Validate> {
  // zod 3 has no such function
  const zod = (await import('zod')) as { fromJSONSchema?: (schema: never) => FlexibleSchema };
  try {
    const validate = zod.fromJSONSchema && validateOf(zod.fromJSONSchema(jsonSchema as never));
    if (validate !== undefined) return validate;
  } catch (error) {
    throw unreadableSchemaError(thrownText(error));
  }
  throw unreadableSchemaError('zod 4.2 or newer is needed for it');
}

function unreadableSchemaError(reason: string): CuelineError {
  return new CuelineError(
    'invalid_definition',
    `The JSON Schema of a prompt's input cannot be checked (${reason}). Use a schema of zod, valibot or arktype, or jsonSchema(…, { validate }).`,
  );
}
