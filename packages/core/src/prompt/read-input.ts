import type { ToolSchema } from '../tools/schema.ts';
import { validateOf, type SchemaResult } from '../tools/standard-schema.ts';

/**
 * A prompt's input as its schema reads it, with defaults filled in. A promise only where the schema is asynchronous, or
 * the input does not fit: it then rejects with a CuelineError `invalid_input`, which has the path of each issue under
 * `details.issues` too.
 */
export function readInput(name: string, schema: ToolSchema, input: unknown): unknown {
  const validate = validateOf(schema);
  const take = (result: SchemaResult): unknown => {
    // valibot gives a value beside the issues
    const { issues } = result;
    if (issues === undefined) return result.value;
    return import('./invalid-input.ts').then(({ invalidInput }) => {
      throw invalidInput(name, issues);
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
