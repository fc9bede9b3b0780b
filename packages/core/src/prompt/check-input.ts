import { scriptError } from '../base/script-error.ts';
import type { ToolSchema } from '../tools/schema.ts';
import type { SchemaResult } from '../tools/standard-schema.ts';
import { validateStandard } from '../tools/validate-standard.ts';
import { invalidInputError } from './invalid-input-error.ts';

/**
 * Returns a prompt's input as parsed by its schema. `result` is what a Standard Schema has said of it; without that, it
 * is validated here.
 * @throws CuelineError `invalid_input` if the input does not fit, `script_error` if the schema throws
 */
export async function checkInput(
  name: string,
  schema: ToolSchema,
  input: unknown,
  result: SchemaResult | undefined,
): Promise<unknown> {
  const { issues, value } = result ?? (await validate(name, schema, input));
  // valibot returns a value besides the issues
  if (issues !== undefined) throw invalidInputError(name, issues);
  return value;
}

async function validate(name: string, schema: ToolSchema, input: unknown): Promise<SchemaResult> {
  let result: SchemaResult | undefined;
  try {
    result = await validateStandard(schema, input);
  } catch (error) {
    throw scriptError(`The input schema of prompt "${name}"`, error, 'prompt');
  }
  if (result !== undefined) return result;
  const { validateJson } = await import('../tools/validate-json.ts');
  return validateJson(schema, input);
}
