import type { ToolSchema } from '../tools/schema.ts';
import { validateOf, type SchemaResult } from '../tools/standard-schema.ts';

/**
 * Returns a prompt's input as parsed by its schema, with defaults filled in: a promise if the schema is
 * asynchronous or the input does not fit. For invalid input it rejects with a CuelineError `invalid_input`,
 * which also has the path of each issue in `details.issues`.
 */
export function readInput(name: string, schema: ToolSchema, input: unknown): unknown {
  const validate = validateOf(schema);
  const take = (result: SchemaResult): unknown => {
    // valibot returns a value besides the issues
    const { issues } = result;
    if (issues === undefined) return result.value;
    return import('./invalid-input-error.ts').then(({ invalidInputError }) => {
      throw invalidInputError(name, issues);
    });
  };
  if (validate === undefined) {
    return import('../tools/validate-json.ts').then(async ({ validateJson }) =>
      take(await validateJson(schema, input)),
    );
  }
  const result = validate(input);
  return result instanceof Promise ? result.then(take) : take(result);
}
