// A schema inside a composite tool's schema has the same meaning as alone.
import { tool, type ToolSchema } from '@cueline/core';
import { jsonSchema } from 'ai';
import { expect, test } from 'vitest';
import * as z from 'zod';
import { rebaseSchema } from '../../src/tools/rebase-schema.ts';
import { go, play } from '../support.ts';

type Schema = Record<string, unknown>;

const leaf = z.object({
  name: z.string(),
  get children() {
    return z.array(leaf);
  },
});
const inner = z.object({ tree: leaf, other: leaf });

/** What the model gets of a tool with these parts. */
async function sentSchema(...schemas: ToolSchema[]): Promise<Schema> {
  const { model } = await play(
    go((prompt) =>
      prompt.defTool(
        'kit',
        'A kit',
        schemas.map((schema, index) => tool(`part${index}`, 'A part', schema, () => 1)),
      ),
    ),
    ['Done.'],
  );
  const [sent] = model.calls[0]!.tools!;
  return (sent as { inputSchema: object }).inputSchema as Schema;
}

/** All references of a schema, with their targets. */
function references(root: Schema, value: unknown = root): [string, unknown][] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, child]): [string, unknown][] =>
    key === '$ref' && typeof child === 'string' ? [[child, at(root, child)]] : references(root, child),
  );
}

function at(root: Schema, pointer: string): unknown {
  return pointer
    .split('/')
    .slice(1)
    .reduce<unknown>((value, key) => (value as Schema | undefined)?.[key], root);
}

test('a schema that contains itself refers to itself, not to the composite', async () => {
  const schema = await sentSchema(z.object({ a: z.string() }), leaf);
  const place = '#/properties/calls/items/anyOf/1/properties/args';
  expect(references(schema).map(([ref]) => ref)).toEqual([place]);
  expect(at(schema, place)).toMatchObject({
    properties: { name: { type: 'string' }, children: { type: 'array', items: { $ref: place } } },
  });
});

test('definitions are found separately for each part', async () => {
  const schema = await sentSchema(inner, z.object({ list: z.array(leaf), tree: leaf }), leaf);
  const found = references(schema);
  expect(found.length).toBeGreaterThan(4);
  for (const [ref, target] of found) {
    expect(ref).toMatch(/^#\/properties\/calls\/items\/anyOf\/\d\/properties\/args/);
    expect(target).toMatchObject({ type: 'object', properties: { name: { type: 'string' } } });
  }
});

test('definitions of plain JSON Schema are found', async () => {
  const own = { type: 'object', properties: { next: { $ref: '#' } } };
  const schema = await sentSchema(own, jsonSchema(own as never));
  expect(references(schema).map(([ref]) => ref)).toEqual([
    '#/properties/calls/items/anyOf/0/properties/args',
    '#/properties/calls/items/anyOf/1/properties/args',
  ]);
});

test('only references change, not data, names or other documents', () => {
  const schema = {
    type: 'object',
    properties: {
      $ref: { type: 'string', const: { $ref: '#' }, default: { $ref: '#' }, enum: [{ $ref: '#' }] },
      default: { $ref: '#/$defs/a' },
      far: { $ref: 'https://example.com/schema.json#/$defs/a' },
      anchor: { $ref: '#name' },
    },
    $defs: { a: { anyOf: [{ $ref: '#' }, { type: 'null' }] } },
  };
  expect(rebaseSchema(schema as never, '#/x')).toEqual({
    ...schema,
    properties: { ...schema.properties, default: { $ref: '#/x/$defs/a' } },
    $defs: { a: { anyOf: [{ $ref: '#/x' }, { type: 'null' }] } },
  });
  const named = { $id: 'https://example.com/a', properties: { a: { $ref: '#' } } };
  expect(rebaseSchema(named as never, '#/x')).toEqual(named);
});
