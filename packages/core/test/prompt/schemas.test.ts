// Whatever a schema is written in: the model gets JSON Schema, and the function what the schema has read.
import { tool, type ToolSchema } from '@cueline/core';
import { jsonSchema, zodSchema } from 'ai';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { sent } from '../sent.ts';
import { play } from '../support.ts';

const call = (name: string, input: unknown) => ({ toolCall: { name, input } });
const cityJson = {
  type: 'object',
  properties: { city: { type: 'string' } },
  required: ['city'],
  additionalProperties: false,
} as const;

/** A schema of nobody's library, as the standard wants it. */
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
  ['the JSON Schema that zod makes', z.toJSONSchema(z.object({ city: z.string() })) as ToolSchema],
  ['another Standard Schema', standard],
  ['a schema that is made when it is needed', () => zodSchema(z.object({ city: z.string() }))],
];

describe.each(schemas)('%s', (_what, schema) => {
  test('the model gets JSON Schema, and the function what fits', async () => {
    const seen: unknown[] = [];
    const { model, run } = await play(
      (prompt) => {
        prompt.defTool('visit', '', schema, (args) => void seen.push(args));
        prompt.$`Go.`;
      },
      [[call('visit', { city: 7 })], [call('visit', { city: 'Faro' })], 'Done.'],
    );
    expect(model.calls[0]!.tools?.[0]).toMatchObject({ name: 'visit', inputSchema: cityJson });
    expect(seen).toEqual([{ city: 'Faro' }]);
    expect(sent(model)[1]!.messages.at(-1)).toMatch(/^visit fails: .*Invalid input for tool visit/s);
    expect(run.state.status).toBe('done');
  });

  test('in a composite tool, what is wrong is said in one line', async () => {
    const { run } = await play(
      (prompt) => {
        prompt.defTool('kit', '', [tool('visit', '', schema, (args) => args)]);
        prompt.$`Go.`;
      },
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
    expect(run.state.toolCalls[0]!.output).toEqual({
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
    (prompt) => {
      prompt.defTool('visit', '', schema, (args) => void seen.push(args));
      prompt.$`Go.`;
    },
    [[call('visit', { city: 7 })], 'Done.'],
  );
  expect(model.calls[0]!.tools?.[0]).toMatchObject({ inputSchema: cityJson });
  expect(seen).toEqual([{ city: 7 }]);
});

test('a Standard Schema that cannot be written as JSON Schema ends the run with a word about it', async () => {
  const { jsonSchema: _json, ...rest } = standard['~standard'];
  const { run } = await play(
    (prompt) => {
      prompt.defTool('visit', '', { '~standard': rest } as ToolSchema, () => 1);
      prompt.$`Go.`;
    },
    ['Never.'],
  );
  expect(run.state).toMatchObject({
    status: 'error',
    error: { message: expect.stringContaining("'tiny' does not support JSON Schema") as string },
  });
});
