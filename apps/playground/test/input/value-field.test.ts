import fc from 'fast-check';
import { expect, test } from 'vitest';
import * as z from 'zod';
import { areNested, readDraft, toDraft } from '../../src/input/draft.ts';
import { isSameJson } from '../../src/input/same-json.ts';
import type { Field } from '../../src/input/schema-fields.ts';
import { fieldForValue } from '../../src/input/value-field.ts';

const mail = z.toJSONSchema(
  z.object({
    to: z.email(),
    text: z.string(),
    copies: z.number().int().min(0).optional(),
    urgent: z.boolean(),
    folder: z.enum(['inbox', 'sent']),
    tags: z.array(z.string()),
    from: z.object({ name: z.string() }),
  }),
);
const kinds = (field: Field): unknown =>
  field.kind === 'object'
    ? Object.fromEntries(field.fields.map((member) => [member.name, kinds(member.field)]))
    : field.kind;

test('the schema gives each argument its field', () => {
  const value = { to: 'a@b.org', text: '', urgent: true, folder: 'sent', tags: ['x'], from: { name: 'Ada' } };
  expect(kinds(fieldForValue(mail, value))).toEqual({
    to: 'text',
    text: 'text',
    copies: 'number',
    urgent: 'boolean',
    folder: 'choice',
    tags: 'list',
    from: { name: 'text' },
  });
});

test('without a schema, the value gives each argument its field', () => {
  const value = { text: 'a\nb', days: 2, urgent: false, list: ['a'], nested: { a: 1 }, none: null };
  const field = fieldForValue(undefined, value);
  expect(kinds(field)).toEqual({
    text: 'text',
    days: 'number',
    urgent: 'boolean',
    list: 'json',
    nested: 'json',
    none: 'json',
  });
  expect(readDraft(field, toDraft(field, value))).toEqual({ input: value, problems: new Map() });
});

test.each<[string, z.ZodType, unknown, unknown]>([
  [
    'a member that the schema does not name',
    z.object({ a: z.string() }),
    { a: '', b: 1 },
    { a: 'text', b: 'number' },
  ],
  ['a value of another type', z.object({ a: z.number() }), { a: 'one' }, { a: 'text' }],
  ['a choice that is not offered', z.object({ a: z.enum(['x']) }), { a: 'y' }, { a: 'text' }],
  ['a list of something else', z.object({ a: z.array(z.string()) }), { a: [1] }, { a: 'json' }],
  ['a text where the schema allows anything', z.object({ a: z.any() }), { a: 'x\ny' }, { a: 'text' }],
  ['null that may be left out', z.object({ a: z.string().nullish() }), { a: null }, { a: 'text' }],
  ['an empty text that may be left out', z.object({ a: z.string().optional() }), { a: '' }, { a: 'text' }],
  [
    'a member inside',
    z.object({ a: z.object({ b: z.string() }) }),
    { a: { b: '', c: 2 } },
    { a: { b: 'text', c: 'number' } },
  ],
  ['text alone', z.string(), 'x\ny', 'text'],
  ['a list alone', z.object({}), [1], 'json'],
])('the field holds %s', (_, schema, value, expected) => {
  const field = fieldForValue(z.toJSONSchema(schema), value);
  expect(kinds(field)).toEqual(expected);
  expect(readDraft(field, toDraft(field, value)).input).toEqual(value);
});

test('a member that is missing keeps the field of the schema', () => {
  const field = fieldForValue(mail, { to: 'a@b.org' });
  expect(kinds(field)).toMatchObject({ text: 'text', copies: 'number' });
  expect(readDraft(field, toDraft(field, { to: 'a@b.org' })).problems.get('input.text')).toBe(
    'Fill this in.',
  );
});

test('every member of a value comes back as it was, whatever the schema says', () => {
  const schemas = [
    undefined,
    {},
    mail,
    z.toJSONSchema(z.record(z.string(), z.number())),
    z.toJSONSchema(z.union([z.object({ a: z.string() }), z.number()])),
  ];
  const names = fc.constantFrom('to', 'text', 'copies', 'urgent', 'folder', 'tags', 'from', 'a');
  const values = fc.oneof(fc.jsonValue(), fc.dictionary(names, fc.jsonValue()));
  fc.assert(
    fc.property(fc.constantFrom(...schemas), values, (schema, value) => {
      const field = fieldForValue(schema, value);
      const { input } = readDraft(field, toDraft(field, value));
      // a required list or checkbox that is missing is there afterwards, empty
      const kept =
        field.kind !== 'object'
          ? isSameJson(input, value)
          : Object.entries(value as object).every(([name, member]) =>
              isSameJson((input as Record<string, unknown>)[name], member),
            );
      expect(kept).toBe(true);
    }),
  );
});

test.each([
  ['input', 'input', true],
  ['input', 'input.from', true],
  ['input.items[1].name', 'input.items', true],
  ['input.from', 'input.fromDate', false],
  ['input.items[1]', 'input.items[10]', false],
  ['input.to', 'input.from', false],
])('of the paths %s and %s, one is inside the other: %s', (one, other, nested) => {
  expect(areNested(one, other)).toBe(nested);
  expect(areNested(other, one)).toBe(nested);
});
