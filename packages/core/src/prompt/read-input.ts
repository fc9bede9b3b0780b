import { loadModule } from '../base/load-module.ts';
import type { ToolSchema } from '../tools/schema.ts';
import { validateOf, type SchemaResult } from '../tools/standard-schema.ts';

/**
 * Returns a prompt's input as parsed by its schema, with defaults filled in: a promise if the schema is asynchronous,
 * if the input does not fit, or if the caller `waits`. For invalid input it rejects with a CuelineError
 * `invalid_input`, which also has the path of each issue in `details.issues`.
 */
export function readInput(name: string, schema: ToolSchema, input: unknown, waits = false): unknown {
  const read = (result?: SchemaResult): unknown =>
    result && result.issues === undefined
      ? result.value
      : loadModule('inputs', import('./check-input.ts')).then(({ checkInput }) =>
          checkInput(name, schema, input, result),
        );
  const result = waits ? undefined : validateOf(schema)?.(input);
  return result instanceof Promise ? result.then(read) : read(result);
}
