import { CuelineError } from '../errors.ts';
import type { ToolSchema } from './tool-definition.ts';

/** One thing that is wrong with a prompt's input. */
export type InputIssue = {
  /** Where, from `input` on, such as `input.stops[2].name`. */
  path: string;
  /** What the schema says about it. */
  message: string;
};

/** What a Standard Schema says about a value. Where there are issues, `value` may be there too. */
export type SchemaResult = { readonly value?: unknown; readonly issues?: readonly unknown[] | undefined };
export type Validate = (value: unknown) => SchemaResult | Promise<SchemaResult>;

/** Issues and characters of each that an error names: keys and messages can come from a client. */
const MAX_ISSUES = 10;
const MAX_LENGTH = 200;

/**
 * A prompt's input as its schema reads it, with defaults filled in. A promise only where the schema is asynchronous.
 * @throws CuelineError `invalid_input` with the path of each issue, under `details.issues` too
 */
export function readInput(name: string, schema: ToolSchema, input: unknown): unknown {
  const validate = validateOf(schema);
  const take = (result: SchemaResult): unknown => {
    // valibot gives a value beside the issues
    if (result.issues === undefined) return result.value;
    throw invalidInput(name, result.issues);
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

function invalidInput(name: string, given: readonly unknown[]): CuelineError {
  const issues = given.slice(0, MAX_ISSUES).map(readIssue);
  const more = given.length > MAX_ISSUES ? `; and ${given.length - MAX_ISSUES} more` : '';
  const list = issues.map(({ path, message }) => `${path}: ${message}`).join('; ');
  return new CuelineError(
    'invalid_input',
    `The input of prompt "${name}" does not fit its schema. ${list}${more}. Start the prompt with input that fits.`,
    { details: { prompt: name, issues } },
  );
}

function readIssue(issue: unknown): InputIssue {
  const { message, path } = issue as { message?: unknown; path?: unknown };
  const keys = Array.isArray(path) ? path.map(keyOf) : [];
  const where = keys.map((key) => (typeof key === 'number' ? `[${key}]` : `.${String(key)}`)).join('');
  return { path: cut(`input${where}`), message: cut(String(message).replace(/\.$/, '')) };
}

/** A step of a path is a key, or an object that has one. */
function keyOf(step: unknown): unknown {
  return typeof step === 'object' && step !== null && 'key' in step ? step.key : step;
}

function cut(text: string): string {
  return text.length > MAX_LENGTH ? `${text.slice(0, MAX_LENGTH)}…` : text;
}
