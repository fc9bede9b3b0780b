import { readParameters, type ParameterIssue } from './expand.ts';
import type { LibraryParameter, LibraryPrompt, ParameterValue } from './prompt-record.ts';

/** A prompt's parameters as a schema of its input: a Standard Schema that also gives JSON Schema. */
export type ParameterSchema<Input> = {
  readonly '~standard': {
    readonly version: 1;
    readonly vendor: 'cueline';
    readonly validate: (
      value: unknown,
    ) => { readonly value: Input } | { readonly issues: readonly { message: string; path: string[] }[] };
    readonly types?: { readonly input: Input; readonly output: Input };
    readonly jsonSchema: {
      readonly input: () => Record<string, unknown>;
      readonly output: () => Record<string, unknown>;
    };
  };
};

/** Returns the schema of a prompt's input, which has the parameters of both texts. */
export function inputSchema<Input>(prompt: LibraryPrompt): ParameterSchema<Input> {
  const parameters = parametersOf(prompt);
  const jsonSchema = (): Record<string, unknown> => toJsonSchema(parameters);
  return {
    '~standard': {
      version: 1,
      vendor: 'cueline',
      validate(value) {
        const read = readParameters(parameters, value);
        if ('issues' in read) return { issues: read.issues.map(toIssue) };
        // the types come from the same parameters
        return { value: Object.fromEntries(read.values) as Input };
      },
      jsonSchema: { input: jsonSchema, output: jsonSchema },
    },
  };
}

/** Returns the parameters of both texts, each once. */
export function parametersOf({
  systemPromptParameters,
  userPromptParameters,
}: LibraryPrompt): LibraryParameter[] {
  const names = new Set(systemPromptParameters.map(({ name }) => name));
  return [...systemPromptParameters, ...userPromptParameters.filter(({ name }) => !names.has(name))];
}

function toIssue({ parameter, message }: ParameterIssue): { message: string; path: string[] } {
  return { message, path: parameter === '' ? [] : [parameter] };
}

function toJsonSchema(parameters: readonly LibraryParameter[]): Record<string, unknown> {
  return {
    type: 'object',
    properties: Object.fromEntries(parameters.map((parameter) => [parameter.name, toProperty(parameter)])),
    required: parameters.filter(({ required }) => required).map(({ name }) => name),
    additionalProperties: false,
  };
}

function toProperty({
  type,
  description,
  allowedValues,
  defaultValue,
}: LibraryParameter): Record<string, ParameterValue | readonly ParameterValue[]> {
  return {
    ...(type === 'enum' ? {} : { type }),
    ...(description === undefined ? {} : { description }),
    ...(allowedValues === undefined ? {} : { enum: allowedValues }),
    ...(defaultValue === undefined ? {} : { default: defaultValue }),
  };
}
