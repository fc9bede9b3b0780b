import type { ToolSchema } from '../tools/schema.ts';
import { validateOf, type SchemaResult } from '../tools/standard-schema.ts';

/**
 * Returns a prompt's input as parsed by its schema, with defaults filled in: a promise if the schema is
 * asynchronous or the input does not fit. For invalid input it rejects with a CuelineError `invalid_input`,
 * which also has the path of each issue in `details.issues`.
 */
export function readInput(name: string, schema: ToolSchema, input: unknown): unknown {
  const read = (result?: SchemaResult): unknown =>
    result !== undefined && result.issues === undefined
      ? result.value
      : import('./check-input.ts').then(({ checkInput }) => checkInput(name, schema, input, result));
  try {
    const result = validateOf(schema)?.(input);
    return result instanceof Promise ? result.then(read, () => read()) : read(result);
  } catch {
    // a function of the schema threw, which the code that is loaded now reports
    return read();
  }
}
