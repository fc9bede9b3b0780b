import { expect, test } from 'vitest';
import * as z from 'zod';
import { readDraft, toDraft, type Draft } from '../../src/input/draft.ts';
import { fitDraft } from '../../src/input/fit-draft.ts';
import { toField } from '../../src/input/schema-fields.ts';

const fieldOf = (schema: z.ZodType) => toField(z.toJSONSchema(schema, { io: 'input' }));

/** The input after the schema was edited from `before` to `now`. */
function carried(before: z.ZodType, now: z.ZodType, value: unknown): unknown {
  const old = fieldOf(before);
  const field = fieldOf(now);
  return readDraft(field, fitDraft(toDraft(old, value), old, field)).input;
}

const mail = z.object({ to: z.string() }).meta({ title: 'Mail' });
const sms = z.strictObject({ to: z.string() }).meta({ title: 'Sms' });
const call = z.object({ to: z.string(), loud: z.enum(['no', 'yes']) }).meta({ title: 'Call' });
const loudCall = z.object({ to: z.string(), loud: z.enum(['yes', 'no', 'very']) }).meta({ title: 'Call' });

test.each<[string, z.ZodType, z.ZodType, unknown, unknown]>([
  ['a text stays', z.string(), z.string().min(9), 'Faro', 'Faro'],
  ['a text that is an option is chosen', z.string(), z.enum(['low', 'high']), 'high', 'high'],
  ['a text that looks like a position is not', z.string(), z.enum(['low', 'high']), '1', undefined],
  ['an option becomes a text', z.enum(['low', 'high']), z.string(), 'high', 'high'],
  [
    'an option that is gone is not chosen',
    z.enum(['low', 'high']),
    z.enum(['none', 'low']),
    'high',
    undefined,
  ],
  ['null as an option', z.literal([null, 'a']), z.literal(['b', 'a', null]), null, null],
  ['a fixed value becomes an option', z.literal('a'), z.enum(['b', 'a']), 'a', 'a'],
  [
    'an optional text does not set a fixed value',
    z.object({ mark: z.string().optional() }),
    z.object({ mark: z.literal('urgent').optional() }),
    { mark: 'later' },
    {},
  ],
  [
    'options in lists and objects',
    z.object({ all: z.array(z.enum(['a', 'b'])), name: z.string() }),
    z.object({ all: z.array(z.enum(['c', 'b', 'a'])), name: z.string() }),
    { all: ['b', 'a'], name: 'Ada' },
    { all: ['b', 'a'], name: 'Ada' },
  ],
  [
    'the value of a variant',
    z.union([z.string(), z.array(z.string())]),
    z.union([z.number(), z.string()]),
    'Faro',
    'Faro',
  ],
  [
    'a variant that is gone',
    z.union([z.string(), z.number()]),
    z.union([z.number(), z.boolean()]),
    'x',
    undefined,
  ],
  [
    'the members of an edited variant',
    z.union([mail, call]),
    z.union([sms, loudCall, mail]),
    { to: 'Ada', loud: 'yes' },
    { to: 'Ada', loud: 'yes' },
  ],
  [
    'an untitled variant with another member',
    z.union([z.object({ a: z.string() }), z.object({ b: z.string() })]),
    z.union([z.object({ a: z.string() }), z.object({ b: z.string(), c: z.string().optional() })]),
    { b: 'x' },
    { b: 'x' },
  ],
])('%s', (_, before, now, value, expected) => {
  expect(carried(before, now, value)).toEqual(expected);
});

test('a chosen variant stays chosen when others are added before it', () => {
  const [before, now] = [fieldOf(z.union([mail, sms])), fieldOf(z.union([call, mail, sms]))];
  const typed: Draft = { variant: 1, value: { to: 'Ada' } };
  expect(fitDraft(typed, before, now)).toEqual({ variant: 2, value: { to: 'Ada' } });
  expect(fitDraft({ variant: 1, value: undefined }, before, now)).toEqual({ variant: 2, value: undefined });
});

test('what was typed into a member that is gone stays in the draft', () => {
  const city = fieldOf(z.object({ city: z.string() }));
  const cit = fieldOf(z.object({ cit: z.string() }));
  expect(fitDraft({ city: 'Faro' }, city, cit)).toEqual({ city: 'Faro' });
});
