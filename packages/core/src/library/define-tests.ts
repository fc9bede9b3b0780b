import { CuelineError } from '../base/errors.ts';
import { isRecord } from '../base/is-record.ts';
import { quoteValue } from '../base/quote-value.ts';
import { expandText, placeholdersOf } from './expand.ts';
import type { LibraryParameter, LibraryPrompt, ParameterValue } from './prompt-record.ts';

/** A test of what a prompt does with some parameters. */
export type PromptTest = {
  readonly name: string;
  readonly parameters: Readonly<Record<string, ParameterValue>>;
  /** The parameter for which the prompt refuses them. Missing if it accepts them. */
  readonly refused?: string;
  /**
   * Expands the prompt. Throws if it refuses what it should accept, accepts what it should refuse, or loses a value.
   */
  run(): void;
};

/**
 * Returns tests of a prompt's parameters, which need no model: each required one missing, each optional one missing and
 * passed, each allowed value, values of a wrong type or not allowed, and a parameter that does not exist.
 * @throws CuelineError `invalid_options`
 *
 * @example
 * describe('greet', () => {
 *   for (const { name, run } of defineTests(library.get('greet'))) test(name, run);
 * });
 */
export function defineTests(prompt: LibraryPrompt): readonly PromptTest[] {
  if (!isRecord(prompt) || typeof prompt.hash !== 'string' || prompt.remote === true) {
    const what =
      isRecord(prompt) && prompt.remote === true ? 'a prompt of an MCP server' : quoteValue(prompt);
    throw new CuelineError('invalid_options', `defineTests takes library.get('greet'), but got ${what}.`);
  }
  const declared = [...prompt.systemPromptParameters, ...prompt.userPromptParameters];
  const unique = [...new Map(declared.map((parameter) => [parameter.name, parameter])).values()];
  const required = valuesOf(unique.filter((parameter) => parameter.required));
  const accepts = (name: string, parameters: PromptTest['parameters']): PromptTest => ({
    name,
    parameters,
    run: () => checkAccepted(prompt, unique, parameters),
  });
  const refuses = (name: string, parameters: PromptTest['parameters'], refused: string): PromptTest => ({
    name,
    parameters,
    refused,
    run: () => checkRefused(prompt, parameters, refused),
  });
  return [
    accepts('accepts the required parameters alone', required),
    accepts('accepts all parameters', valuesOf(unique)),
    ...unique.flatMap((parameter): PromptTest[] => {
      const { name, allowedValues } = parameter;
      const { [name]: _, ...others } = required;
      return [
        ...(parameter.required ? [refuses(`refuses to do without ${name}`, others, name)] : []),
        ...examplesOf(parameter).map((value) =>
          accepts(`accepts ${name}: ${JSON.stringify(value)}`, { ...others, [name]: value }),
        ),
        refuses(`refuses ${name} of another type`, { ...others, [name]: wrongType(parameter) }, name),
        ...(allowedValues === undefined
          ? []
          : [
              refuses(
                `refuses ${name} that is not allowed`,
                { ...others, [name]: notAllowed(parameter) },
                name,
              ),
            ]),
      ];
    }),
    refuses(
      'refuses a parameter that does not exist',
      { ...required, [unknownName(unique)]: 'x' },
      unknownName(unique),
    ),
  ];
}

function valuesOf(parameters: readonly LibraryParameter[]): Record<string, ParameterValue> {
  return Object.fromEntries(parameters.map((parameter) => [parameter.name, examplesOf(parameter)[0]!]));
}

function examplesOf({ name, type, allowedValues }: LibraryParameter): readonly ParameterValue[] {
  if (allowedValues !== undefined) return allowedValues;
  switch (type) {
    case 'boolean':
      return [true, false];
    case 'number':
      return [42, -1.5];
    default:
      return [`${name} in a test`, 'with {BRACES} and $&'];
  }
}

/** A value of another type than the parameter's. */
function wrongType({ type }: LibraryParameter): ParameterValue {
  return type === 'string' ? 42 : type === 'enum' ? true : 'neither';
}

function notAllowed({ type, allowedValues = [] }: LibraryParameter): ParameterValue {
  if (type === 'number') return Math.max(...allowedValues.map(Number)) + 1;
  return `${allowedValues.join(' ')} or another`;
}

function unknownName(parameters: readonly LibraryParameter[]): string {
  let name = 'UNKNOWN';
  while (parameters.some((parameter) => parameter.name === name)) name += '_';
  return name;
}

function checkAccepted(
  prompt: LibraryPrompt,
  declared: readonly LibraryParameter[],
  parameters: PromptTest['parameters'],
): void {
  for (const kind of ['system', 'user'] as const) {
    const text = expandText(prompt, kind, parameters);
    const before = placeholdersOf(kind === 'system' ? prompt.systemPrompt : prompt.userPrompt);
    for (const { name, defaultValue } of declared) {
      const value = parameters[name] ?? defaultValue;
      if (!before.includes(name) || value === undefined || text.includes(String(value))) continue;
      throw new Error(`The ${kind} prompt of "${prompt.id}" has lost ${name}: ${JSON.stringify(value)}.`);
    }
  }
}

function checkRefused(prompt: LibraryPrompt, parameters: PromptTest['parameters'], refused: string): void {
  try {
    expandText(prompt, 'system', parameters);
    expandText(prompt, 'user', parameters);
  } catch (error) {
    if (!CuelineError.isInstance(error)) throw error;
    const { issues } = error.details as { issues: readonly { parameter: string }[] };
    if (issues.some(({ parameter }) => parameter === refused)) return;
    throw error;
  }
  throw new Error(`Prompt "${prompt.id}" accepts what it should refuse for ${refused}.`);
}
