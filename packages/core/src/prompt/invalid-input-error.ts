import { CuelineError } from '../base/errors.ts';
import { shorten } from '../base/quote-value.ts';

/** One issue of a prompt's input. */
export type InputIssue = {
  /** The path of the value, from `input` on, such as `input.stops[2].name`. */
  path: string;
  /** The schema's message. */
  message: string;
};

/** How many issues, and how many characters of each, an error contains: keys and messages can come from a client. */
const MAX_ISSUES = 10;
const MAX_LENGTH = 200;

/** Returns the error for input that does not fit its schema, with the path of each issue. */
export function invalidInputError(name: string, inputs: readonly unknown[]): CuelineError {
  const issues = inputs.slice(0, MAX_ISSUES).map(readIssue);
  const more = inputs.length > MAX_ISSUES ? `; and ${inputs.length - MAX_ISSUES} more` : '';
  const list = issues.map(({ path, message }) => `${path}: ${message}`).join('; ');
  return new CuelineError(
    'invalid_input',
    `The input of prompt "${name}" does not fit its schema. ${list}${more}. Start the prompt with input that fits.`,
    { details: { prompt: name, issues } },
  );
}

function readIssue(issue: unknown): InputIssue {
  const { message, path } = issue as { message?: unknown; path?: unknown };
  const keys = Array.isArray(path) ? path.map(pathKey) : [];
  const where = keys.map((key) => (typeof key === 'number' ? `[${key}]` : `.${String(key)}`)).join('');
  return {
    path: shorten(`input${where}`, MAX_LENGTH),
    message: shorten(String(message).replace(/\.$/, ''), MAX_LENGTH),
  };
}

/** A path consists of keys, or of objects with a key. */
function pathKey(step: unknown): unknown {
  return typeof step === 'object' && step !== null && 'key' in step ? step.key : step;
}
