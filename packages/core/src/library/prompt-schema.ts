import valid from 'semver/functions/valid.js';
import * as z from 'zod/v4';
import type { JsonSchema } from '../tools/schema.ts';

/** How much of a prompt file is read. */
export const fileLimits = {
  /** Characters of one file or answer. */
  characters: 5_000_000,
  prompts: 10_000,
  parameters: 200,
  allowedValues: 1_000,
};
const NAME_LENGTH = 200;
const TEXT_LENGTH = 1_000_000;

/** The names of parameters, which stand between braces. */
const parameterName: RegExp = /^[A-Za-z_][A-Za-z0-9_-]*$/;
/** https://semver.org, apart from the parts of a prerelease, which are checked after it. */
const semver: RegExp = /^(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(-[0-9A-Za-z.-]+)?(\+[0-9A-Za-z.-]+)?$/;
/** An id is also the name of a prompt definition and of an MCP prompt, and `id@range` refers to it. */
const id: RegExp = /^[^\s@]+$/;

/** Returns the message of an issue: what is expected, and the value that is there instead. */
const expected =
  (what: string) =>
  ({ input }: { input?: unknown }): string =>
    input === undefined ? `is missing. Write ${what}` : `is not ${what}`;

const name = (what: string, pattern?: RegExp): z.ZodString => {
  const text = z
    .string({ error: expected(what) })
    .min(1, `is empty. Write ${what}`)
    .max(NAME_LENGTH, `is longer than ${NAME_LENGTH} characters. Shorten it`);
  return pattern === undefined ? text : text.regex(pattern, `is not ${what}`);
};
const text = (what: string): z.ZodString =>
  z
    .string({ error: expected(what) })
    .max(TEXT_LENGTH, `is longer than ${TEXT_LENGTH} characters. Split the prompt`);
const description = text('a string').optional().describe('For people, and for clients of MCP.');

const types = ['string', 'number', 'boolean', 'enum', 'kString', 'kNumber', 'kBoolean', 'kEnum'] as const;

const parameter = z.strictObject(
  {
    name: name('a name of letters, digits, "_" and "-", such as "CITY"', parameterName).describe(
      'The name between the braces of the text: CITY for {CITY}.',
    ),
    type: z.enum(types, { error: expected('"string", "number", "boolean" or "enum"') }),
    description,
    required: z
      .boolean({ error: expected('true or false') })
      .optional()
      .describe('Whether a value must be passed. Default: true, unless there is a defaultValue.'),
    defaultValue: z
      .union([z.string().max(TEXT_LENGTH), z.number(), z.boolean()], {
        error: expected('a string, a number, true or false'),
      })
      .optional()
      .describe('The value where none is passed. It has the type of the parameter.'),
    allowedValues: z
      .array(
        z.union([z.string().max(NAME_LENGTH), z.number()], { error: expected('a string or a number') }),
        {
          error: expected('a list of values, such as ["formal", "casual"]'),
        },
      )
      .min(1, 'is empty. List the values that can be passed, or leave it out')
      .max(fileLimits.allowedValues, `has more than ${fileLimits.allowedValues} values. Use a string`)
      .optional()
      .describe('The values that can be passed. An enum needs it.'),
  },
  { error: expected('an object with "name" and "type"') },
);

const parameters = z
  .array(parameter, { error: expected('a list of parameters: [{ "name": "CITY", "type": "string" }]') })
  .max(fileLimits.parameters, `has more than ${fileLimits.parameters} parameters. Split the prompt`)
  .optional();

const recordShape = z.strictObject(
  {
    id: name('an id without spaces and "@", such as "plan-day"', id),
    version: name('a version such as "1.0.0"', semver)
      .refine(
        (version) => !semver.test(version) || valid(version) !== null,
        'is not a version such as "1.0.0"',
      )
      .describe('A semver version, such as 1.0.0.'),
    name: name('a name for people, such as "Plan a day"'),
    description,
    status: z
      .enum(['draft', 'active', 'deprecated'], { error: expected('"draft", "active" or "deprecated"') })
      .optional()
      .describe('Default: active. Only an exact version finds a draft.'),
    systemPrompt: text('a string').optional(),
    systemPromptParameters: parameters,
    userPrompt: text('the text of the user message').min(1, 'is empty. Write the text of the user message'),
    userPromptParameters: parameters,
    userPromptsParameters: parameters.describe('An older spelling of userPromptParameters.'),
    metadata: z
      .record(z.string(), z.unknown(), { error: expected('an object') })
      .optional()
      .describe('Anything else about the prompt. Kept, and not interpreted.'),
  },
  { error: expected('a prompt: an object with "id", "version", "name" and "userPrompt"') },
);

/** Checks the shape of one prompt. `read-prompts.ts` checks that its members fit together. */
export const promptRecord: z.ZodType = recordShape;
/** The names of a prompt's members. */
export const recordMembers: readonly string[] = Object.keys(recordShape.shape);
/** The names of a parameter's members. */
export const parameterMembers: readonly string[] = Object.keys(parameter.shape);

const prompts = z.array(recordShape);
const file = z.union([
  prompts,
  z.strictObject({ $schema: z.string().optional(), prompts }),
  recordShape.extend({ $schema: z.string().optional() }),
]);

/**
 * Returns the JSON Schema (draft 2020-12) of a prompt file: a list of prompts, one prompt, or an object with the list
 * under `prompts`. The package has it as a file, too: `@cueline/core/prompts.schema.json`.
 */
export function promptFileSchema(): JsonSchema {
  return z.toJSONSchema(file, { io: 'input', reused: 'ref' }) as JsonSchema;
}
