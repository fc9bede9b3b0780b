import type { ToolSchema } from '../tools/schema.ts';
import type { SchemaResult } from '../tools/standard-schema.ts';
import { invalidInputError } from './invalid-input-error.ts';

/**
 * Returns a prompt's input as parsed by its schema. `result` is that of a Standard Schema; any other schema validates
 * the input here.
 * @throws CuelineError `invalid_input` if the input does not fit
 */
export async function checkInput(
  name: string,
  schema: ToolSchema,
  input: unknown,
  result: SchemaResult | undefined,
): Promise<unknown> {
  const { issues, value } = result ?? (await validate(schema, input));
  // valibot returns a value besides the issues
  if (issues !== undefined) throw invalidInputError(name, issues);
  return value;
}

async function validate(schema: ToolSchema, input: unknown): Promise<SchemaResult> {
  const { validateJson } = await import('../tools/validate-json.ts');
  return validateJson(schema, input);
}
