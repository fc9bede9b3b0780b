import type { ToolSchema } from './tool-definition.ts';

/** What a Standard Schema says about a value. Where there are issues, `value` may be there too. */
export type SchemaResult = { readonly value?: unknown; readonly issues?: readonly unknown[] | undefined };
export type Validate = (value: unknown) => SchemaResult | Promise<SchemaResult>;

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
    return import('./validate-json.ts').then(async ({ validateJson }) =>
      take(await validateJson(schema, input)),
    );
  }
  const result = validate(input);
  return result instanceof Promise ? result.then(take) : take(result);
}

/** How a Standard Schema validates; undefined for any other schema. */
export function validateOf(schema: ToolSchema): Validate | undefined {
  const standard = (schema as { readonly '~standard'?: { readonly validate?: Validate } })['~standard'];
  return standard?.validate === undefined ? undefined : (value) => standard.validate!(value);
}
