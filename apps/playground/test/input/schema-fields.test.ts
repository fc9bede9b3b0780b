import { expect, test } from 'vitest';
import * as z from 'zod';
import { readDraft, toDraft, type Draft } from '../../src/input/draft.ts';
import { toField, type Field } from '../../src/input/schema-fields.ts';

const fieldOf = (schema: z.ZodType): Field =>
  toField(z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }));
const kinds = (field: Field): unknown =>
  field.kind === 'object'
    ? Object.fromEntries(field.fields.map((member) => [member.name, kinds(member.field)]))
    : field.kind;

test('each type of a schema has its field', () => {
  const field = fieldOf(
    z.object({
      city: z.string(),
      days: z.number().int().min(1).max(14).default(3),
      style: z.enum(['quiet', 'busy']),
      size: z.union([z.literal('small'), z.literal(2)]),
      vegan: z.boolean(),
      version: z.literal(1),
      hotel: z.object({ name: z.string() }).optional(),
      stops: z.array(z.string()).min(1),
      nickname: z.string().nullable(),
      travel: z.discriminatedUnion('by', [
        z.object({ by: z.literal('train'), first: z.boolean() }),
        z.object({ by: z.literal('car'), seats: z.number() }),
      ]),
      prices: z.record(z.string(), z.number()),
      pair: z.tuple([z.string(), z.number()]),
      when: z.date(),
    }),
  );
  expect(kinds(field)).toEqual({
    city: 'text',
    days: 'number',
    style: 'choice',
    size: 'choice',
    vegan: 'boolean',
    version: 'fixed',
    hotel: { name: 'text' },
    stops: 'list',
    nickname: 'text',
    travel: 'union',
    prices: 'json',
    pair: 'json',
    when: 'json',
  });
  const members = new Map(field.kind === 'object' ? field.fields.map((one) => [one.name, one.field]) : []);
  expect(members.get('days')).toMatchObject({
    integer: true,
    minimum: 1,
    maximum: 14,
    optional: true,
    default: 3,
  });
  expect(members.get('nickname')).toMatchObject({ optional: false, nullable: true });
  const { variants } = members.get('travel') as Extract<Field, { kind: 'union' }>;
  expect(variants.map(({ label }) => label)).toEqual(['train', 'car']);
});

test('a schema that contains itself is edited as JSON from some level on', () => {
  type Folder = { name: string; folders: Folder[] };
  const folder: z.ZodType<Folder> = z.object({ name: z.string(), folders: z.lazy(() => z.array(folder)) });
  const text = JSON.stringify(fieldOf(folder));
  expect(text).toContain('"json"');
  expect(text.length).toBeLessThan(3_000);
});

test.each<[unknown, string]>([
  [undefined, 'json'],
  [true, 'json'],
  [{}, 'json'],
  [{ $ref: '#' }, 'json'],
  [{ $ref: 'https://example.com/schema' }, 'json'],
  [
    { type: 'object', properties: Object.fromEntries(Array.from({ length: 100 }, (_, i) => [`p${i}`, {}])) },
    'json',
  ],
  [{ type: ['string', 'null'] }, 'text'],
  [{ type: 'array', items: [{ type: 'string' }] }, 'json'],
  [{ allOf: [{ type: 'string' }] }, 'text'],
  [{ anyOf: [] }, 'json'],
])('%j is a field of kind %s', (schema, kind) => {
  expect(toField(schema).kind).toBe(kind);
});

const plan = fieldOf(
  z.object({
    city: z.string(),
    days: z.number().int().min(1).default(3),
    note: z.string().optional(),
    stops: z.array(z.object({ name: z.string() })),
    travel: z.union([z.object({ line: z.string() }), z.number()]).optional(),
    extra: z.record(z.string(), z.number()).optional(),
  }),
);

test('typed values become the input; empty fields are left out', () => {
  const draft: Draft = { city: 'Faro', days: ' 2 ', note: '', stops: [{ name: 'Beach' }], extra: '{"a": 1}' };
  const { input, problems } = readDraft(plan, draft);
  expect(input).toEqual({ city: 'Faro', days: 2, stops: [{ name: 'Beach' }], extra: { a: 1 } });
  expect(problems.size).toBe(0);
  expect(readDraft(plan, { city: '', stops: [] }).input).toEqual({ city: '', stops: [] });
});

test('each problem has the path that a run would report', () => {
  const draft: Draft = {
    days: '1.5',
    stops: [{}, { name: 'Beach' }],
    travel: { variant: 1, value: 'x' },
    extra: '{',
  };
  const { problems } = readDraft(plan, draft);
  expect(Object.fromEntries(problems)).toEqual({
    'input.city': 'Fill this in.',
    'input.days': 'Enter a whole number.',
    'input.stops[0].name': 'Fill this in.',
    'input.travel': 'Enter a number.',
    'input.extra': expect.stringMatching(
      /^This is not JSON: .+ Write a text in double quotes, .+ as in {"name": "Ada"}\.$/,
    ),
  });
  expect(readDraft(plan, { city: 'Faro', days: '0' }).problems.get('input.days')).toBe('Enter 1 or more.');
});

test.each([
  { city: 'Faro', stops: [] },
  { city: 'Faro', days: 7, note: 'n', stops: [{ name: 'Beach' }], travel: { line: 'S1' }, extra: { a: 1 } },
  { city: '', stops: [{ name: '' }], travel: 4 },
])('an input that was kept comes back: %j', (input) => {
  expect(readDraft(plan, toDraft(plan, input)).input).toEqual(input);
});

test('an input of another schema fills in the fields that it fits', () => {
  const draft = toDraft(plan, { city: 3, days: 'many', stops: 'none', note: 'yes', travel: [] });
  expect(readDraft(plan, draft).input).toEqual({ note: 'yes', stops: [] });
});

test.each<[z.ZodType, unknown]>([
  [z.literal('urgent'), 'urgent'],
  [z.literal(true), true],
])('a fixed value that may be null can be left empty and chosen (%#)', (schema, value) => {
  const field = fieldOf(z.object({ mark: schema.nullable() }));
  expect(readDraft(field, undefined).input).toEqual({ mark: null });
  for (const mark of [null, value]) {
    expect(readDraft(field, toDraft(field, { mark })).input).toEqual({ mark });
  }
  const optional = fieldOf(z.object({ mark: schema.nullish() }));
  expect(readDraft(optional, undefined).input).toEqual({});
});

test('a text input is taken unchanged, and an empty input without a schema is undefined', () => {
  expect(readDraft(fieldOf(z.string()), 'Hello').input).toBe('Hello');
  expect(readDraft(toField(undefined), '').input).toBeUndefined();
});

test('a small schema that describes millions of fields has a form of bounded size', () => {
  const names = Array.from({ length: 6 }, (_, index) => `Type${index}`);
  const members = (target: string) =>
    Object.fromEntries(
      Array.from({ length: 20 }, (_, index) => [`m${index}`, { $ref: `#/$defs/${target}` }]),
    );
  const $defs = Object.fromEntries(
    names.map((name, index) => [
      name,
      names[index + 1] === undefined
        ? { type: 'string' }
        : { type: 'object', properties: members(names[index + 1]!) },
    ]),
  );
  const count = (field: Field): number =>
    field.kind === 'object' ? field.fields.reduce((sum, member) => sum + count(member.field), 1) : 1;
  const field = toField({ $ref: '#/$defs/Type0', $defs });
  expect(field.kind).toBe('object');
  // the last objects within the bound still have all their members
  expect(count(field)).toBeLessThan(3_000);
});
