import { CuelineError } from '../base/errors.ts';
import { isRecord } from '../base/is-record.ts';
import { nearestName } from '../base/nearest-name.ts';
import { quoteValue, shorten } from '../base/quote-value.ts';
import type { LibraryParameter, LibraryPrompt, ParameterValue } from './prompt-record.ts';

/** Text between braces that can be the name of a parameter. */
const placeholder = /\{([A-Za-z_][A-Za-z0-9_-]*)\}/g;

/** Returns the names between braces in a text. */
export function placeholdersOf(text: string): string[] {
  return [...text.matchAll(placeholder)].map(([, name]) => name!);
}

/** A valid value of a parameter, or a description of the expected one. */
export type ReadValue = { value: ParameterValue } | { expected: string };

/**
 * Reads the value of a parameter. `texts` also takes a number or a boolean as text, because forms and MCP only have
 * texts.
 */
export function readValue(parameter: LibraryParameter, value: unknown, mode: 'exact' | 'texts'): ReadValue {
  const { type, allowedValues } = parameter;
  const read = readType(type, value, mode);
  if (allowedValues === undefined) {
    return read === undefined ? { expected: expectedTypes[type] } : { value: read };
  }
  const allowed = allowedValues.find((one) => one === read || (mode === 'texts' && String(one) === read));
  if (allowed !== undefined) return { value: allowed };
  return { expected: `one of ${allowedValues.map((one) => JSON.stringify(one)).join(', ')}` };
}

const expectedTypes = {
  string: 'a string',
  number: 'a number',
  boolean: 'true or false',
  enum: 'one of its allowed values',
};

function readType(
  type: LibraryParameter['type'],
  value: unknown,
  mode: 'exact' | 'texts',
): ParameterValue | undefined {
  const asText = mode === 'texts' && typeof value === 'string' ? value.trim() : undefined;
  switch (type) {
    case 'string':
      return typeof value === 'string' ? value : undefined;
    case 'boolean':
      if (asText === 'true' || asText === 'false') return asText === 'true';
      return typeof value === 'boolean' ? value : undefined;
    case 'number': {
      const number = asText === undefined || asText === '' ? value : Number(asText);
      return typeof number === 'number' && Number.isFinite(number) ? number : undefined;
    }
    case 'enum':
      return typeof value === 'string' || typeof value === 'number' ? value : undefined;
  }
}

/** A parameter with an invalid value, and what is wrong with it. */
export type ParameterIssue = { parameter: string; message: string };

/** The values of a prompt's parameters by name, or what is wrong with them. */
export type ReadParameters =
  | { values: ReadonlyMap<string, ParameterValue> }
  | { issues: readonly ParameterIssue[] };

/**
 * Reads the values of `declared` from `parameters`, which may also contain those of `known`. An optional parameter
 * without a value and a default has none.
 */
export function readParameters(
  declared: readonly LibraryParameter[],
  parameters: unknown,
  known: readonly LibraryParameter[] = declared,
): ReadParameters {
  if (parameters !== undefined && !isRecord(parameters)) {
    return {
      issues: [
        {
          parameter: '',
          message: `Parameters must be an object, such as { CITY: 'Oslo' }, but got ${quoteValue(parameters)}`,
        },
      ],
    };
  }
  const issues = unknownParameters(known, parameters);
  const values = new Map<string, ParameterValue>();
  for (const parameter of declared) {
    const { name, required, defaultValue } = parameter;
    const value = parameters !== undefined && Object.hasOwn(parameters, name) ? parameters[name] : undefined;
    if (value === undefined || value === null) {
      if (required) issues.push({ parameter: name, message: `is missing. Pass ${describe(parameter)}` });
      else if (defaultValue !== undefined) values.set(name, defaultValue);
      continue;
    }
    const read = readValue(parameter, value, 'texts');
    if ('value' in read) values.set(name, read.value);
    else issues.push({ parameter: name, message: `is ${quoteValue(value)}. Pass ${read.expected}` });
  }
  return issues.length > 0 ? { issues } : { values };
}

function unknownParameters(
  known: readonly LibraryParameter[],
  parameters: Readonly<Record<string, unknown>> | undefined,
): ParameterIssue[] {
  const names = known.map(({ name }) => name);
  return Object.keys(parameters ?? {})
    .filter((name) => parameters![name] !== undefined && !names.includes(name))
    .map((name) => ({ parameter: name, message: `is unknown. ${suggest(name, names)}` }));
}

function suggest(name: string, names: readonly string[]): string {
  if (names.length === 0) return 'The prompt has no parameters, so leave it out';
  const nearest = nearestName(name, names);
  return nearest === undefined ? `There are ${names.join(', ')}` : `Write ${nearest}`;
}

function describe(parameter: LibraryParameter): string {
  const read = readValue(parameter, undefined, 'exact');
  const what = 'expected' in read ? read.expected : '';
  return parameter.description === undefined ? what : `${what}: ${parameter.description.replace(/\.$/, '')}`;
}

/** Which of a prompt's two texts. */
export type TextKind = 'system' | 'user';

/**
 * Returns one of a prompt's texts with the values in place. Only declared names between braces are replaced, once:
 * braces of JSON and braces inside values stay.
 * @throws CuelineError `invalid_parameter`
 */
export function expandText(prompt: LibraryPrompt, kind: TextKind, parameters: unknown): string {
  const [text, declared] =
    kind === 'system'
      ? [prompt.systemPrompt, prompt.systemPromptParameters]
      : [prompt.userPrompt, prompt.userPromptParameters];
  const known = [...prompt.systemPromptParameters, ...prompt.userPromptParameters];
  const read = readParameters(declared, parameters, known);
  if ('issues' in read) throw parameterError(prompt, read.issues);
  const names = new Set(declared.map(({ name }) => name));
  return text.replaceAll(placeholder, (whole, name: string) =>
    names.has(name) ? String(read.values.get(name) ?? '') : whole,
  );
}

/** How many issues the error has, because names and values may come from a client. */
const MAX_ISSUES = 10;

function parameterError(prompt: LibraryPrompt, all: readonly ParameterIssue[]): CuelineError {
  const issues = all.slice(0, MAX_ISSUES).map(({ parameter, message }) => ({
    parameter: shorten(parameter, 500),
    message: shorten(message, 500),
  }));
  const more = all.length > issues.length ? ` And ${all.length - issues.length} more.` : '';
  const list = issues.map(({ parameter, message }) => `${parameter} ${message}.`.trim()).join(' ');
  return new CuelineError(
    'invalid_parameter',
    `The parameters of prompt "${prompt.id}" ${prompt.version} are invalid. ${list}${more}`,
    { details: { prompt: prompt.id, version: prompt.version, issues } },
  );
}
