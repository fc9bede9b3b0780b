import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { capOutput } from '../../src/tools/cap-output.ts';
import { throwing } from '../support.ts';
import { refusalOf } from '../support/refusal.ts';

const MAX_BYTES = 256 * 1024;

const bytesOf = (text: string): number => new TextEncoder().encode(text).length;

const note = (length: number): string =>
  `\n\n[Cut off: the whole was ${length} characters long, and a tool may return 256 KB. Ask for less, or for a part.]`;

/** The text as it should be cut: as much of it as leaves room for the note. */
const cut = (text: string): string => text.slice(0, MAX_BYTES - note(text.length).length) + note(text.length);

describe('capOutput', () => {
  test.each([
    ['null', null],
    ['a number', 0],
    ['false', false],
    ['an empty text', ''],
    ['a text', 'sunny'],
    ['an object', { a: [1, { b: null }] }],
  ])('returns %s unchanged', (_what, output) => {
    expect(capOutput(output)).toBe(output);
  });

  test('returns null for undefined', () => {
    expect(capOutput(undefined)).toBeNull();
    expect(capOutput({ toJSON: () => undefined })).toBeNull();
  });

  test.each<[string, unknown, string]>([
    [
      'a Map',
      new Map([['a', 1]]),
      'it is of type Map, which JSON cannot hold: return Object.fromEntries(map)',
    ],
    [
      'a Set in an object',
      { ids: new Set([1]) },
      'ids is of type Set, which JSON cannot hold: return [...set]',
    ],
    [
      'a promise in an object',
      { price: Promise.resolve(5) },
      'price is of type Promise, which JSON cannot hold: await it',
    ],
    [
      'an error with a code',
      Object.assign(new TypeError('No.'), { code: 'E1' }),
      'it is of type Error, which JSON cannot hold: throw it, or return its message',
    ],
    [
      'a response',
      new Response('{}'),
      'it is of type Response, which JSON cannot hold: return await response.json()',
    ],
    [
      'an object with getters only',
      new (class Place {
        get city(): string {
          return 'Faro';
        }
      })(),
      'it is of type Place, which JSON cannot hold',
    ],
  ])('refuses %s, of which JSON keeps nothing', (_what, output, reason) => {
    expect(() => capOutput(output, 'look')).toThrow(
      `Tool look returned something that is not JSON (${reason}). Return plain objects, arrays, strings, numbers.`,
    );
  });

  test.each<[string, unknown]>([
    ['an object with a toJSON', { at: new Date(0), url: new URL('https://example.com') }],
    [
      'an object of a class with fields',
      new (class Point {
        x = 1;
      })(),
    ],
    ['an object without a prototype', Object.assign(Object.create(null) as object, { a: {} })],
    ['an empty object and an empty list', { a: {}, b: [] }],
  ])('returns %s unchanged', (_what, output) => {
    expect(capOutput(output)).toBe(output);
  });

  test('cuts a text of more than 256 KB', () => {
    const whole = 'x'.repeat(MAX_BYTES);
    expect(capOutput(whole)).toBe(whole);
    expect(capOutput(`${whole}x`)).toBe(cut(`${whole}x`));
  });

  test('turns a large object into the beginning of its JSON', () => {
    const rows = Array.from({ length: 40_000 }, (_none, id) => ({ id }));
    expect(capOutput(rows)).toBe(cut(JSON.stringify(rows)));
    const some = rows.slice(0, 10_000);
    expect(capOutput(some)).toBe(some);
  });

  test('counts bytes, and cuts no character in two', () => {
    const faces = '😀'.repeat(MAX_BYTES / 4);
    expect(capOutput(faces)).toBe(faces);
    const capped = capOutput(`${faces}😀`) as string;
    const kept = Math.floor((MAX_BYTES - note(faces.length + 2).length) / 4);
    expect(capped).toBe('😀'.repeat(kept) + note(faces.length + 2));
  });

  test('keeps pictures in a list of parts whole, and cuts its texts to 256 KB in total', () => {
    const image = { type: 'image', data: btoa('\u0089PNG'.repeat(100_000)), mediaType: 'image/png' };
    const half = 'x'.repeat(MAX_BYTES / 2);
    const text = { type: 'text', text: half };
    const whole = [text, image, text];
    expect(capOutput(whole)).toEqual(whole);
    expect(capOutput([text, image, text, { type: 'text', text: 'y' }, image])).toEqual([
      text,
      image,
      text,
      { type: 'text', text: note(1) },
      image,
    ]);
    const long = `${half}y`;
    const room = MAX_BYTES / 2 - note(long.length).length;
    expect(capOutput([text, { type: 'text', text: long }])).toEqual([
      text,
      { type: 'text', text: 'x'.repeat(room) + note(long.length) },
    ]);
  });

  test.each([
    ['rows', 6_000, 100],
    ['single words', 30_000, 1],
  ])('leaves out the texts after the cut in a list of many %s', (_what, count, length) => {
    const parts = Array.from({ length: count }, () => ({ type: 'text', text: 'x'.repeat(length) }));
    const capped = capOutput(parts) as { text: string }[];
    const texts = capped.map(({ text }) => text);
    expect(JSON.stringify(capped).length).toBeLessThan(2 * MAX_BYTES + 500);
    expect(texts.filter((text) => text.includes('Cut off')).length).toBeLessThanOrEqual(1);
    expect(texts.at(-1)).toBe(
      `[Left out: ${count - capped.length + 1} more texts, and a tool may return 256 KB. Ask for less, or for a part.]`,
    );
  });

  test('cuts data that only looks like parts as JSON', () => {
    const rows = [{ type: 'image', data: 'x'.repeat(MAX_BYTES), mediaType: 'image/png', pixels: 1 }];
    expect(capOutput(rows)).toBe(cut(JSON.stringify(rows)));
  });

  test('reports the number of bytes of the text that the model would read', () => {
    const picture = [{ type: 'image', image: new Uint8Array(MAX_BYTES) }];
    expect(capOutput(picture)).toBe(picture);
    const report = { name: 'a', bytes: new Uint8Array(MAX_BYTES).buffer };
    expect(capOutput(report)).toBe(report);
    expect(capOutput({ ...report, rest: 'x'.repeat(MAX_BYTES) })).toBe(
      cut(`{"name":"a","bytes":"[${MAX_BYTES} bytes]","rest":"${'x'.repeat(MAX_BYTES)}"}`),
    );
  });

  test('keeps a byte order mark', () => {
    const text = `\uFEFF${'x'.repeat(MAX_BYTES)}`;
    expect((capOutput(text) as string).slice(0, 3)).toBe('\uFEFFxx');
  });

  test('never returns more than 256 KB, and does not cut twice', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', minLength: 1, maxLength: 20 }), fc.nat(4), (text, times) => {
        const capped = capOutput(text.repeat(Math.ceil((times * MAX_BYTES) / 3 / text.length))) as string;
        expect(bytesOf(capped)).toBeLessThanOrEqual(MAX_BYTES);
        expect(capOutput(capped)).toBe(capped);
      }),
      { numRuns: 50 },
    );
  });

  test('cuts 50 MB to 256 KB', () => {
    const text = 'x'.repeat(50_000_000);
    expect(capOutput(text)).toBe(cut(text));
  });

  const cycle: Record<string, unknown> = {};
  cycle['self'] = cycle;
  let deep: unknown = 1;
  for (let level = 0; level < 20_000; level += 1) deep = [deep];

  test.each<[string, unknown, RegExp]>([
    [
      'a cycle',
      cycle,
      /^invalid_definition: Tool find returned something that is not JSON \(Converting circular structure to JSON\)\. Return plain/,
    ],
    [
      'a BigInt',
      { id: 1n },
      /^invalid_definition: Tool find returned something that is not JSON \(Do not know how to serialize a BigInt\)\. Return plain/,
    ],
    [
      '20,000 levels',
      deep,
      /^invalid_definition: Tool find returned something that is nested more than 1000 levels deep, or too long for JSON\./,
    ],
    ['a function', () => 1, /^invalid_definition: Tool find returned a function\. Return its result/],
    [
      'a generator',
      (async function* () {})(),
      /^invalid_definition: Tool find returned a promise of a generator\. Return its result/,
    ],
    [
      'a value that throws a non-error',
      {
        toJSON: throwing(null),
      },
      /^invalid_definition: .*\(unknown reason\)/,
    ],
  ])('throws a named error for %s', (_what, output, message) => {
    expect(refusalOf(() => capOutput(output, 'find'))).toMatch(message);
  });

  test('without a name, still says what happened', () => {
    expect(() => capOutput(1n)).toThrow(
      'The tool returned something that is not JSON (Do not know how to serialize a BigInt). Return plain objects, arrays, strings, numbers.',
    );
  });
});
