import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { argumentsFromSchema } from '../src/arguments-from-schema.ts';
import { readHints } from '../src/hints.ts';

const now = new Date('2026-01-15T09:00:00Z');
const hintsFor = (request: string, fields: Record<string, unknown> = {}) =>
  readHints(request, new Map(Object.entries(fields)), now);

/** As the AI SDK sends a zod schema to a model. */
const toJson = (schema: z.ZodType): unknown => z.toJSONSchema(schema, { target: 'draft-7', io: 'input' });
const argumentsFor = (schema: z.ZodType, request = '', fields: Record<string, unknown> = {}): unknown =>
  argumentsFromSchema(toJson(schema), hintsFor(request, fields));

const names = fc.constantFrom(
  'city',
  'userEmail',
  'date',
  'limit',
  'query',
  'x',
  'from',
  'hotel_id',
  'force',
  'url',
  'path',
);
const small = fc.integer({ min: 0, max: 12 });

const texts: z.ZodType[] = [
  z.email(),
  z.url(),
  z.uuid(),
  z.uuid({ version: 'v7' }),
  z.iso.date(),
  z.iso.datetime(),
  z.iso.datetime({ offset: true }),
  z.iso.datetime({ local: true, precision: 3 }),
  z.iso.time(),
  z.iso.duration(),
  z.ipv4(),
  z.ipv6(),
  z.cidrv4(),
  z.base64(),
  z.base64url(),
  z.e164(),
  z.jwt(),
  z.nanoid(),
  z.cuid(),
  z.cuid2(),
  z.ulid(),
  z.emoji(),
  z.hostname(),
  z.guid(),
  z.string().startsWith('id-'),
  z.string().endsWith('!'),
  z.string().includes('mid'),
  z.string().regex(/^[A-Z]{2}\d{3,5}$/),
  z
    .string()
    .regex(/^(?:red|green)-\w+$/)
    .min(12),
  z.string().regex(/^\+?[1-9]\d{6,}$/),
  z.templateLiteral(['v', z.number(), '.x']),
  z.string().startsWith('a').endsWith('z'),
  z.string().lowercase(),
  z.string().uppercase(),
  z.string().trim().min(1),
];
const text = fc.oneof(
  fc.constant(z.string()),
  fc.tuple(small, small).map(([a, b]) => z.string().min(Math.min(a, b)).max(Math.max(a, b))),
  fc.constantFrom(...texts),
);
const number = fc.oneof(
  fc.constant<z.ZodType>(z.number()),
  fc.constant<z.ZodType>(z.int()),
  fc.tuple(fc.integer({ min: -1000, max: 1000 }), fc.integer({ min: 1, max: 50 })).map(([low, size]) =>
    z
      .int()
      .min(low)
      .max(low + size),
  ),
  fc.tuple(fc.integer({ min: -1000, max: 1000 }), fc.integer({ min: 2, max: 50 })).map(([low, size]) =>
    z
      .number()
      .gt(low)
      .lt(low + size),
  ),
  fc
    .tuple(fc.integer({ min: -50, max: 50 }), fc.constantFrom(3, 5, 7))
    .map(([low, step]) => z.int().min(low).multipleOf(step)),
  fc.integer({ min: -50, max: 50 }).map((high) => z.number().lt(high)),
  fc.constantFrom<z.ZodType>(
    z.number().positive(),
    z.number().negative(),
    z.number().nonnegative(),
    z.int().negative(),
    z.number().multipleOf(0.5),
    z.int32(),
  ),
);
const leaf: fc.Arbitrary<z.ZodType> = fc.oneof(
  text,
  number,
  fc.constant(z.boolean()),
  fc.constant(z.null()),
  fc.constant(z.unknown()),
  fc.constantFrom(z.literal('fixed'), z.literal(7), z.literal(['a', 'b'])),
  fc
    .uniqueArray(fc.constantFrom('red', 'green', 'celsius', 'two words', ''), { minLength: 1 })
    .map((values) => z.enum(values)),
);

const { schema: anySchema } = fc.letrec<{ schema: z.ZodType }>((tie) => ({
  schema: fc.oneof(
    { maxDepth: 3, depthSize: 'small' },
    leaf,
    fc
      .dictionary(
        names,
        fc.tuple(tie('schema'), fc.constantFrom('required', 'optional', 'nullable', 'described')),
        { maxKeys: 5 },
      )
      .map((shape) =>
        z.object(
          Object.fromEntries(
            Object.entries(shape).map(([name, [schema, how]]) => [
              name,
              how === 'optional'
                ? schema.optional()
                : how === 'nullable'
                  ? schema.nullable()
                  : how === 'described'
                    ? schema.describe('The city to look in')
                    : schema,
            ]),
          ),
        ),
      ),
    fc
      .tuple(tie('schema'), fc.integer({ min: 0, max: 3 }), fc.integer({ min: 0, max: 3 }))
      .map(([item, a, b]) => z.array(item).min(Math.min(a, b)).max(Math.max(a, b))),
    fc.tuple(tie('schema'), tie('schema')).map((items) => z.tuple(items)),
    tie('schema').map((value) => z.record(z.string(), value)),
    tie('schema').map((value) => z.record(z.enum(['left', 'right']), value)),
    fc.tuple(tie('schema'), tie('schema')).map((options) => z.union(options)),
    fc
      .tuple(tie('schema'), tie('schema'))
      .map(([a, b]) =>
        z.discriminatedUnion('kind', [
          z.object({ kind: z.literal('a'), a }),
          z.strictObject({ kind: z.literal('b'), b }),
        ]),
      ),
    fc.tuple(tie('schema'), tie('schema')).map(([a, b]) => z.intersection(z.object({ a }), z.object({ b }))),
  ),
}));
const request = fc.constantFrom(
  '',
  'Weather in Paris for 3 days, 12.5% off',
  'Mail ada@lovelace.org about https://a.example/x on 2026-02-30 in "red" ink',
  '<<<{}>>> -7 0',
);

describe('argumentsFromSchema', () => {
  test('returns arguments that fit, for any schema', () => {
    fc.assert(
      fc.property(anySchema, request, (schema, asked) => {
        const made = argumentsFor(schema, asked, { city: 'Oslo', id: 4, date: 'never' });
        const parsed = schema.safeParse(made);
        expect({ made, schema: toJson(schema), issues: parsed.error?.issues }).toHaveProperty(
          'issues',
          undefined,
        );
      }),
      { numRuns: 500 },
    );
  });

  test('supports every string format, also in list items', () => {
    for (const schema of texts) {
      const made = argumentsFor(z.object({ it: schema, all: z.array(schema).min(3) }), 'Berlin', { it: 'x' });
      expect(z.object({ it: schema, all: z.array(schema) }).safeParse(made).error).toBeUndefined();
    }
  });

  test('sends a mail to the address in the request', () => {
    const schema = z.object({ to: z.string() });
    expect(argumentsFor(schema, 'Send a mail to ada@lovelace.org.')).toEqual({ to: 'ada@lovelace.org' });
    expect(argumentsFor(schema, 'A train to Berlin.')).toEqual({ to: 'Berlin' });
  });

  test('returns a long text that fits a simple pattern', () => {
    const schema = z.object({ prompt: z.string().endsWith('!') });
    const request =
      'Mail ada@lovelace.org about https://a.example/x on 2026-02-30, and say what was said before.';
    expect(schema.safeParse(argumentsFor(schema, request)).error).toBeUndefined();
  });

  test('returns the same plain JSON for the same input', () => {
    fc.assert(
      fc.property(anySchema, request, (schema, asked) => {
        const made = argumentsFor(schema, asked);
        expect(made).toEqual(argumentsFor(schema, asked));
        expect(JSON.parse(JSON.stringify(made))).toEqual(made);
      }),
      { numRuns: 100 },
    );
  });

  test('takes values from the request', () => {
    const schema = z.object({
      city: z.string(),
      days: z.int(),
      unit: z.enum(['celsius', 'fahrenheit']),
      email: z.email(),
      link: z.url(),
      when: z.iso.date(),
    });
    expect(
      argumentsFor(
        schema,
        'Weather in São Paulo tomorrow for 3 days in Fahrenheit, to ada@lovelace.org, see https://a.example/b.',
      ),
    ).toEqual({
      city: 'São Paulo',
      days: 3,
      unit: 'fahrenheit',
      email: 'ada@lovelace.org',
      link: 'https://a.example/b',
      when: '2026-01-16',
    });
  });

  test('takes values from variables and earlier results by name next', () => {
    const schema = z.object({ city: z.string(), hotelId: z.string(), guests: z.int() });
    expect(argumentsFor(schema, 'Book it.', { city: 'Faro', id: 'h-17', guests: '2' })).toEqual({
      city: 'Faro',
      hotelId: 'h-17',
      guests: 2,
    });
  });

  test('takes values from the schema next: defaults, examples, constants, the first of an enum', () => {
    const schema = z.object({
      limit: z.int().default(7),
      tone: z.string().meta({ examples: ['dry'] }),
      version: z.literal(2),
      size: z.enum(['small', 'large']),
    });
    expect(argumentsFor(schema, 'Go on.')).toEqual({ limit: 7, tone: 'dry', version: 2, size: 'small' });
  });

  test('invents a plausible value last, and leaves out optional properties that the request does not mention', () => {
    const schema = z.object({
      city: z.string(),
      country: z.string().optional(),
      limit: z.int().optional(),
      force: z.boolean(),
    });
    expect(argumentsFor(schema, 'Hello')).toEqual({ city: 'Lisbon', force: false });
    expect(argumentsFor(schema, 'Hello, with a limit of 9')).toEqual({
      city: 'Lisbon',
      limit: 9,
      force: false,
    });
  });

  test('uses two numbers of the request for two properties', () => {
    expect(argumentsFor(z.object({ a: z.number(), b: z.number() }), 'Add 12 and 30.')).toEqual({
      a: 12,
      b: 30,
    });
  });

  test('returns one item of each kind for a list of a discriminated union', () => {
    const call = z.discriminatedUnion('name', [
      z.object({ name: z.literal('write'), args: z.object({ path: z.string() }) }),
      z.object({ name: z.literal('read'), args: z.object({ path: z.string() }) }),
    ]);
    expect(argumentsFor(z.object({ calls: z.array(call) }), 'Save it to /tmp/a.txt')).toEqual({
      calls: [
        { name: 'write', args: { path: '/tmp/a.txt' } },
        { name: 'read', args: { path: '/tmp/a.txt' } },
      ],
    });
  });

  test('ends for a recursive schema', () => {
    type Tree = { value: string; children: Tree[]; next: Tree | null };
    const tree: z.ZodType<Tree> = z.object({
      value: z.string(),
      get children() {
        return z.array(tree);
      },
      get next() {
        return tree.nullable();
      },
    });
    expect(tree.safeParse(argumentsFor(tree)).success).toBe(true);
  });

  test('ends for a recursive union whose variants are all objects', () => {
    type Expression =
      | { kind: 'add'; left: Expression; right: Expression }
      | { kind: 'call'; of: Expression[]; result: { value: number } };
    const expression: z.ZodType<Expression> = z.lazy(() =>
      z.union([
        z.object({ kind: z.literal('add'), left: expression, right: expression }),
        z.object({
          kind: z.literal('call'),
          of: z.array(expression),
          result: z.object({ value: z.number() }),
        }),
      ]),
    );
    for (const request of ['', 'add 6 and 7']) {
      const made = argumentsFor(z.object({ expression }), request) as { expression: unknown };
      expect(expression.safeParse(made.expression).success, request).toBe(true);
    }
  });

  test('chooses among operators', () => {
    const schema = z.object({ operator: z.enum(['+', '-', '*', '/', '<=']) });
    expect(argumentsFor(schema, 'Compute 6 * 7')).toEqual({ operator: '*' });
    expect(argumentsFor(schema, 'Is 6 <= 7?')).toEqual({ operator: '<=' });
    expect(argumentsFor(schema, 'Compute')).toEqual({ operator: '+' });
  });

  test.each([
    [true],
    [{}],
    [undefined],
    [null],
    [{ type: 'object' }],
    [{ $ref: '#/nowhere' }],
    [{ $ref: '#' }],
    [{ pattern: '(' }],
  ])('returns a value for an odd schema (%j)', (schema) => {
    expect(() => JSON.stringify(argumentsFromSchema(schema, hintsFor('x')))).not.toThrow();
  });

  test('makes __proto__ an own property', () => {
    const schema = {
      type: 'object',
      properties: JSON.parse('{"__proto__":{"type":"string"}}') as object,
      required: ['__proto__'],
    };
    const made = argumentsFromSchema(schema, hintsFor('x')) as object;
    expect(Object.keys(made)).toEqual(['__proto__']);
    expect(Object.getPrototypeOf(made)).toBe(Object.prototype);
  });
});
