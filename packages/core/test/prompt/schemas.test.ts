// Whatever a schema is written in: the model gets JSON Schema, and the function what the schema has read.
import { definePrompt, tool, type PromptDefinition, type ToolSchema } from '@cueline/core';
import { toStandardJsonSchema } from '@valibot/to-json-schema';
import { jsonSchema, tool as sdkTool, zodSchema, type FlexibleSchema } from 'ai';
import { type } from 'arktype';
import * as v from 'valibot';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import * as z3 from 'zod/v3';
import { sent } from '../sent-requests.ts';
import { call, go, play } from '../support.ts';

const cityJson = {
  type: 'object',
  properties: { city: { type: 'string' } },
  required: ['city'],
  additionalProperties: false,
} as const;

/** A schema of no library, as the standard describes it. */
const standard = {
  '~standard': {
    version: 1 as const,
    vendor: 'tiny',
    validate: (value: unknown) =>
      typeof (value as { city?: unknown }).city === 'string'
        ? { value: value as { city: string } }
        : { issues: [{ message: 'must be a text', path: [{ key: 'city' }] }] },
    jsonSchema: { input: () => ({ ...cityJson }), output: () => ({ ...cityJson }) },
  },
};

const schemas: [string, ToolSchema][] = [
  ['zod', z.object({ city: z.string() })],
  ['zod 3', z3.object({ city: z3.string() })],
  ['valibot', toStandardJsonSchema(v.object({ city: v.string() }))],
  ['arktype', type({ city: 'string' })],
  ['the JSON Schema that zod makes', z.toJSONSchema(z.object({ city: z.string() })) as ToolSchema],
  ['another Standard Schema', standard],
  ['a schema that is made when it is needed', () => zodSchema(z.object({ city: z.string() }))],
];

describe.each(schemas)('%s', (_what, schema) => {
  test('sends JSON Schema to the model, and valid arguments to the function', async () => {
    const seen: unknown[] = [];
    const { model, run } = await play(
      go((prompt) => prompt.defTool('visit', '', schema, (args) => void seen.push(args))),
      [[call('visit', { city: 7 })], [call('visit', { city: 'Faro' })], 'Done.'],
    );
    expect(model.calls[0]!.tools?.[0]).toMatchObject({ name: 'visit', inputSchema: cityJson });
    expect(seen).toEqual([{ city: 'Faro' }]);
    expect(sent(model)[1]!.messages.at(-1)).toMatch(/^visit fails: .*Invalid input for tool visit/s);
    expect(run.getState().status).toBe('done');
  });

  test('reports an invalid argument in one line in a composite tool', async () => {
    const { run } = await play(
      go((prompt) => prompt.defTool('kit', '', [tool('visit', '', schema, (args) => args)])),
      [
        [
          call('kit', {
            calls: [
              { name: 'visit', args: { city: 7 } },
              { name: 'visit', args: { city: 'Faro' } },
            ],
          }),
        ],
        'Done.',
      ],
    );
    expect(run.getState().toolCalls[0]!.output).toEqual({
      results: [
        {
          name: 'visit',
          result: {
            error: expect.stringMatching(/^Invalid arguments for visit: city: [^\n]{5,80}$/) as string,
          },
        },
        { name: 'visit', result: { city: 'Faro' } },
      ],
    });
  });
});

test.each<[string, ToolSchema]>([
  ['plain JSON Schema', cityJson],
  ['jsonSchema()', jsonSchema(cityJson as never)],
])('%s is what the model gets; it checks nothing', async (_what, schema) => {
  const seen: unknown[] = [];
  const { model } = await play(
    go((prompt) => prompt.defTool('visit', '', schema, (args) => void seen.push(args))),
    [[call('visit', { city: 7 })], 'Done.'],
  );
  expect(model.calls[0]!.tools?.[0]).toMatchObject({ inputSchema: cityJson });
  expect(seen).toEqual([{ city: 7 }]);
});

describe.each<[string, ToolSchema]>([
  // valibot's own result has the value besides the issues
  ['valibot', toStandardJsonSchema(v.object({ city: v.pipe(v.string(), v.minLength(3)) }))],
  ['arktype', type({ city: 'string >= 3' })],
  ['zod 3', z3.object({ city: z3.string().min(3) })],
  ['zod', z.object({ city: z.string().min(3) })],
])('%s: a value of the right type that breaks a rule', (_what, schema) => {
  const rejected = /^visit fails: .*city/s;

  test('never reaches the function', async () => {
    const seen: unknown[] = [];
    const { model } = await play(
      go((prompt) => prompt.defTool('visit', '', schema, (args) => void seen.push(args))),
      [[call('visit', { city: 'Fa' })], 'Done.'],
    );
    expect(seen).toEqual([]);
    expect(sent(model)[1]!.messages.at(-1)).toMatch(rejected);
  });

  test("never reaches a tool of the AI SDK's own tool()", async () => {
    const seen: unknown[] = [];
    const ready = sdkTool({ inputSchema: schema as FlexibleSchema, execute: (args) => void seen.push(args) });
    const { model } = await play((prompt) => prompt.$`Go.`, [[call('visit', { city: 'Fa' })], 'Done.'], {
      options: { tools: { visit: ready } },
    });
    expect(seen).toEqual([]);
    expect(sent(model)[1]!.messages.at(-1)).toMatch(rejected);
  });

  test('is not accepted as an answer', async () => {
    const trips = definePrompt('trips', (prompt) => prompt.$`Where to?`, { output: schema });
    const { run } = await play(trips, ['{ "city": "Fa" }', '{ "city": "Faro" }']);
    expect(run.getState()).toMatchObject({ status: 'done', result: { city: 'Faro' } });
    expect(run.getState().steps).toHaveLength(2);
  });
});

test('a Standard Schema that cannot become JSON Schema is refused, with what to write', async () => {
  const own = v.object({ city: v.string() });
  const defining = play((prompt) => prompt.defTool('visit', '', own, () => 1), ['Never.']);
  await expect(defining).rejects.toThrow(
    "The schema of visit is one of valibot's, which cannot be sent to a model as JSON Schema. Wrap it: toStandardJsonSchema(v.object({ … })), from '@valibot/to-json-schema'.",
  );
  const { jsonSchema: _json, ...rest } = standard['~standard'];
  const other = play(
    (prompt) => prompt.defTool('visit', '', { '~standard': rest } as ToolSchema, () => 1),
    ['Never.'],
  );
  await expect(other).rejects.toThrow(/one of tiny's.* or write the schema with zod or as JSON Schema\.$/);
});

describe('what cannot be a schema', () => {
  const day = z.object({ day: z.date() });
  const shape = { day: z.string() } as ToolSchema;
  const uses: [string, (schema: ToolSchema) => PromptDefinition, string][] = [
    ['a tool', (schema) => definePrompt('x', (prompt) => prompt.defTool('t', '', schema, () => 1)), 't'],
    ['a client tool', (schema) => definePrompt('x', () => {}, { tools: [tool('t', '', schema, {})] }), 't'],
    [
      'a tool of the AI SDK',
      (inputSchema) =>
        definePrompt('x', (prompt) => prompt.$`Go.`, {
          tools: { t: { inputSchema: inputSchema as FlexibleSchema, execute: () => 1 } },
        }),
      't',
    ],
    [
      'the answer of an agent',
      (responseSchema) =>
        definePrompt('x', (prompt) => prompt.defAgent('a', '', z.object({}), () => {}, { responseSchema })),
      'a',
    ],
    ['an answer', (output) => definePrompt('x', (prompt) => prompt.$`Go.`, { output }), 'the answer'],
  ];

  test.each(uses)('for %s, a date is refused with what to write', async (_what, define, name) => {
    await expect(play(define(day), ['Never.'])).rejects.toMatchObject({
      code: 'invalid_definition',
      message: `The schema of ${name} cannot be sent to a model: Date cannot be represented in JSON Schema. Models write JSON. Use a schema of the JSON and transform its values: z.string().transform((day) => new Date(day)).`,
    });
  });

  const input = definePrompt('x', () => {}, { input: shape });
  test.each([
    ...uses.map(([what, define, name]): [string, PromptDefinition, string] => [what, define(shape), name]),
    ['an input', input as PromptDefinition, 'the input'] as const,
  ])('for %s, the fields alone are refused with what to write', async (_what, definition, name) => {
    await expect(play(definition, ['Never.'])).rejects.toMatchObject({
      code: 'invalid_definition',
      message: `The schema of ${name} is an object of schemas. Write z.object({ day: … }).`,
    });
  });
});
