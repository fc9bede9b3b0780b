import { stringify } from 'yaml';
import { CuelineError } from '../errors.ts';
import type { Variable } from './definitions.ts';

/** The longest value of one variable, in characters. */
const MAX_LENGTH = 1_000_000;
const xmlName = /^[A-Za-z_][A-Za-z0-9_.-]*$/;

/** A text variable, checked. @throws CuelineError `invalid_definition` */
export function textVariable(name: string, content: string): Variable {
  checkName(name);
  if (typeof content !== 'string') {
    throw new CuelineError(
      'invalid_definition',
      `prompt.def('${name}', …) takes a string, and got ${typeof content}. For objects use prompt.defData('${name}', …).`,
    );
  }
  return { kind: 'text', value: checkLength(name, content) };
}

/** A data variable as YAML, checked. @throws CuelineError `invalid_definition` */
export function dataVariable(name: string, data: unknown): Variable {
  checkName(name);
  if (typeof data !== 'object' || data === null) {
    throw new CuelineError(
      'invalid_definition',
      `prompt.defData('${name}', …) takes an object or an array, and got ${data === null ? 'null' : typeof data}. For text use prompt.def('${name}', …).`,
    );
  }
  refuseCycles(name, data, []);
  // no anchors: a model should read each value where it stands; no folding: a line stays a line
  const yaml = stringify(data, { aliasDuplicateObjects: false, lineWidth: 0 });
  return { kind: 'data', value: checkLength(name, yaml.trimEnd()), data };
}

function checkName(name: string): void {
  if (xmlName.test(name)) return;
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

function refuseCycles(name: string, value: object, path: object[]): void {
  if (path.includes(value)) {
    throw new CuelineError(
      'invalid_definition',
      `The data of ${name} contains itself, so it cannot be written as YAML. Leave the circular property out.`,
    );
  }
  for (const child of Object.values(value) as unknown[]) {
    if (typeof child === 'object' && child !== null) refuseCycles(name, child, [...path, value]);
  }
}
