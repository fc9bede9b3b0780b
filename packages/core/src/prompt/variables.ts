import { stringify } from 'yaml';
import { thrownText } from '../base/error-source.ts';
import { CuelineError } from '../base/errors.ts';
import { isUnawaited } from '../base/is-promise.ts';
import { ignorePromises } from '../json/refuse-lossy.ts';
import type { Variable } from './definitions.ts';

/** The longest value of one variable, in characters. */
const MAX_LENGTH = 1_000_000;
/** The deepest data of one variable, in levels of objects and arrays. */
const MAX_DEPTH = 100;
const xmlName = /^[A-Za-z_][A-Za-z0-9_.-]*$/;

/** Returns a validated text variable. @throws CuelineError `invalid_definition` */
export function textVariable(name: string, content: string): Variable {
  checkName(name);
  if (typeof content !== 'string') {
    throw new CuelineError(
      'invalid_definition',
      isUnawaited(content)
        ? `prompt.def('${name}', …) takes a string, but got a promise. Write await before it.`
        : `prompt.def('${name}', …) takes a string, but got ${typeof content}. For objects use prompt.defData('${name}', …).`,
    );
  }
  return { kind: 'text', value: checkLength(name, content) };
}

/** Returns a validated data variable as YAML. @throws CuelineError `invalid_definition` */
export function dataVariable(name: string, data: unknown): Variable {
  checkName(name);
  if (typeof data !== 'object' || data === null) {
    throw new CuelineError(
      'invalid_definition',
      `prompt.defData('${name}', …) takes an object or an array, but got ${data === null ? 'null' : typeof data}. For text use prompt.def('${name}', …).`,
    );
  }
  if (isUnawaited(data)) {
    throw new CuelineError(
      'invalid_definition',
      `prompt.defData('${name}', …) takes an object or an array, but got a promise. Write await before it.`,
    );
  }
  const yaml = toYaml(name, data);
  return { kind: 'data', value: checkLength(name, yaml.trimEnd()), data };
}

function checkName(name: string): void {
  if (typeof name === 'string' && xmlName.test(name)) return;
  throw new CuelineError(
    'invalid_definition',
    `"${name}" cannot be a variable's name, because it becomes a tag. Use letters, digits, _ . - and begin with a letter, such as USER_NAME.`,
  );
}

function checkLength(name: string, value: string): string {
  if (value.length <= MAX_LENGTH) return value;
  throw new CuelineError(
    'invalid_definition',
    `Variable ${name} has ${value.length} characters; at most ${MAX_LENGTH} fit. Send long text as a file, or cut it.`,
  );
}

function toYaml(name: string, data: object): string {
  try {
    checkValue(name, data, [], []);
    // no anchors, so that a model reads each value in its place; no folding, so that lines stay whole
    return stringify(data, { aliasDuplicateObjects: false, lineWidth: 0 });
  } catch (error) {
    ignorePromises(data);
    if (CuelineError.isInstance(error)) throw error;
    const reason = thrownText(error);
    throw new CuelineError(
      'invalid_definition',
      `The data of ${name} cannot be written as YAML (${reason}). Give plain objects, arrays, strings, numbers.`,
      { cause: error, source: 'prompt' },
    );
  }
}

function checkValue(name: string, value: unknown, keys: readonly string[], path: readonly object[]): void {
  if (typeof value === 'function' || typeof value === 'symbol') {
    throw new CuelineError(
      'invalid_definition',
      `The data of ${name} has a ${typeof value} at ${keys.join('.')}, which cannot be written as YAML. Leave it out.`,
    );
  }
  if (typeof value !== 'object' || value === null) return;
  if (isUnawaited(value)) {
    throw new CuelineError(
      'invalid_definition',
      `The data of ${name} has a promise at ${keys.join('.')}. Write await before it.`,
    );
  }
  if (path.includes(value)) {
    throw new CuelineError(
      'invalid_definition',
      `The data of ${name} contains itself, so it cannot be written as YAML. Leave the circular property out.`,
    );
  }
  if (path.length >= MAX_DEPTH) {
    throw new CuelineError(
      'invalid_definition',
      `The data of ${name} is more than ${MAX_DEPTH} levels deep. Give the part of it that the model needs.`,
    );
  }
  for (const [key, child] of Object.entries(value)) checkValue(name, child, [...keys, key], [...path, value]);
}
