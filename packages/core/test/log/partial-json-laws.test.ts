import fc from 'fast-check';
import { describe, expect, test, vi } from 'vitest';
import { createPartialJson } from '../../src/json/partial-json.ts';
import { sample } from '../support/sample.ts';
import { freeze } from './any-events.ts';
import { createPlainPartialJson } from './plain-partial-json.ts';

const space = fc.constantFrom('', '', '', ' ', '\n  ', '\t\r\n');
const character = fc.oneof(
  fc.constantFrom('a', '0', ' ', '/', 'é', '\u2028', '\u007f', '😀', '\ud83d', '\ude00'),
  fc.constantFrom('\\n', '\\"', '\\\\', '\\/', '\\u0041', '\\ud83d', '\\uDE00', '\\u005f', '\\u0000'),
);
const string = fc.oneof(
  { weight: 6, arbitrary: fc.array(character, { maxLength: 6 }).map((all) => `"${all.join('')}"`) },
  fc.constantFrom('"__proto__"', '"__proto__x"', '"a\\"__proto__"', '"\\u005f_proto__"', '"\\\\__proto__"'),
);
const number = fc.oneof(
  fc.integer().map(String),
  fc.double({ noNaN: true, noDefaultInfinity: true }).map(String),
  fc.constantFrom('-0', '0', '-0.0', '1e5', '1E+5', '-1.5e-7', '1e400', '12345678901234567890'),
);
const word = fc.constantFrom('true', 'false', 'null');
const key = fc.oneof(fc.constantFrom('"a"', '"b"', '"1"', '"0"', '""'), string);

/** Any valid JSON: any white space, any escape of a character, repeated names. */
const { anyJson } = fc.letrec<{ value: string; anyJson: string }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    fc.oneof(string, number, word),
    fc.array(tie('anyJson'), { maxLength: 4 }).map((items) => `[${items.join(',')}]`),
    fc
      .tuple(fc.array(fc.tuple(space, key, space, tie('anyJson')), { maxLength: 4 }), space)
      .map(
        ([members, end]) =>
          `{${members.map((member) => member.toSpliced(3, 0, ':').join('')).join(',')}${end}}`,
      ),
  ),
  anyJson: fc.tuple(space, tie('value'), space).map((parts) => parts.join('')),
}));

const signs = Array.from('{}[],:"\\01-+.eEtfnux \u00a0\ufeff\n\u0001\u001f');
const scraps = [
  '\\u',
  '\\u00',
  '\\x',
  '\\"',
  '"__proto__"',
  '__proto__',
  'true',
  'nul',
  '01',
  '1.',
  '-',
  '"a":',
  '[]',
];
const junk = fc.constantFrom(...signs, ...scraps, '\ud83d');

/** JSON in which something is missing, too much, or something else. */
const brokenJson = fc
  .tuple(anyJson, fc.array(fc.tuple(fc.nat(), fc.nat(2), fc.option(junk)), { minLength: 1, maxLength: 3 }))
  .map(([text, changes]) => {
    let broken = text;
    for (const [at, missing, instead] of changes) {
      const place = at % (broken.length + 1);
      broken = broken.slice(0, place) + (instead ?? '') + broken.slice(place + missing);
    }
    return broken;
  });

const soup = fc.array(junk, { maxLength: 14 }).map((all) => all.join(''));

// of two names that differ only in that one ends in a backslash, V8's JSON.parse may give the wrong one
const anyText = fc.oneof(anyJson, brokenJson, soup).filter((text) => !text.includes('\\\\"'));

/** The text in pieces of these sizes, the last ones again and again. */
function cut(text: string, sizes: readonly number[]): string[] {
  const pieces: string[] = [];
  for (let at = 0, piece = 0; at < text.length; piece++) {
    const size = sizes[piece % sizes.length]!;
    pieces.push(text.slice(at, at + size));
    at += size;
  }
  return pieces;
}

/** The value with the order of its names, and the sign of its zeros. */
function spelled(value: unknown): string | undefined {
  return JSON.stringify(value, (_name, part: unknown) => (Object.is(part, -0) ? '-0' : part));
}

const anySizes = fc.oneof(
  fc.constant([1]),
  fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 5 }),
);

describe('for any text, and any cuts', () => {
  test('the value is that of the closed text, parsed from the beginning', () => {
    fc.assert(
      fc.property(anyText, anySizes, (text, sizes) => {
        const reader = createPartialJson();
        const plain = createPlainPartialJson();
        for (const piece of cut(text, sizes)) {
          reader.feed(piece);
          plain.feed(piece);
          // frozen: a value that was read does not change later
          expect(spelled(freeze(reader.value()))).toBe(spelled(plain.value()));
        }
        expect(reader.text).toBe(text);
      }),
      { numRuns: sample(1_000) },
    );
  });

  test('reading in between does not change the value', () => {
    fc.assert(
      fc.property(anyText, anySizes, fc.infiniteStream(fc.boolean()), (text, sizes, looks) => {
        const reader = createPartialJson();
        for (const piece of cut(text, sizes)) {
          reader.feed(piece);
          if (looks.next().value) freeze(reader.value());
        }
        const plain = createPlainPartialJson();
        plain.feed(text);
        expect(reader.value()).toStrictEqual(plain.value());
      }),
      { numRuns: sample(1_000) },
    );
  });
});

describe('a long text', () => {
  test('a closed part is the same object from one value to the next', () => {
    const reader = createPartialJson();
    reader.feed('{"a":[1,{"b":2}],"c":[{"d":3},[4');
    const before = reader.value() as { a: unknown; c: unknown[] };
    expect(reader.value()).toBe(before);
    reader.feed('5],{"e"');
    const after = reader.value() as typeof before;
    expect(before).toStrictEqual({ a: [1, { b: 2 }], c: [{ d: 3 }, [4]] });
    expect(after).toStrictEqual({ a: [1, { b: 2 }], c: [{ d: 3 }, [45], {}] });
    expect(after.a).toBe(before.a);
    expect(after.c[0]).toBe(before.c[0]);
  });

  test('no character is parsed twice, however often the value is read', () => {
    const text = JSON.stringify(
      Array.from({ length: 500 }, (_, id) => ({ id, name: `line ${id}\n`, done: false })),
    );
    const parse = vi.spyOn(JSON, 'parse');
    const reader = createPartialJson();
    for (const piece of cut(text, [20])) {
      reader.feed(piece);
      reader.value();
    }
    const read = parse.mock.calls.reduce((sum, [piece]) => sum + piece.length, 0);
    parse.mockRestore();
    expect(reader.value()).toStrictEqual(JSON.parse(text));
    expect(read).toBeLessThan(text.length);
  });

  test.each([
    ['arrays', '[', ']'],
    ['objects', '{"a":', '}'],
  ])('%s may be nested to any depth', (_name, opening, closing) => {
    const levels = 20_000;
    const depthOf = (value: unknown): number => {
      let depth = 0;
      for (let inner = value; typeof inner === 'object' && inner !== null; depth++)
        inner = Object.values(inner)[0];
      return depth;
    };
    const reader = createPartialJson();
    reader.feed(opening.repeat(levels / 2));
    expect(depthOf(reader.value())).toBe(levels / 2);
    reader.feed(opening.repeat(levels / 2));
    expect(depthOf(reader.value())).toBe(levels);
    reader.feed(`1${closing.repeat(levels)}`);
    expect(depthOf(reader.value())).toBe(levels);
  });
});
