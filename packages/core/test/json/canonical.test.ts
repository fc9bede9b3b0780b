import { canonicalCall } from '@cueline/core/server';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';

/** The same value with the keys of every object in the opposite order. */
function reversed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(reversed);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .toReversed()
      .map(([key, child]) => [key, reversed(child)]),
  );
}

function nested(levels: number, innermost: unknown): unknown {
  let value = innermost;
  for (let level = 0; level < levels; level += 1) value = level % 2 === 0 ? [value] : { value };
  return value;
}

describe('canonicalCall', () => {
  test('sorts the keys at every level and keeps the order of arrays', () => {
    expect(canonicalCall('find', { to: 'b', from: { y: [2, 1], x: null }, live: true })).toBe(
      '"find":{"from":{"x":null,"y":[2,1]},"live":true,"to":"b"}',
    );
  });

  test('is the same for any order of the keys, and keeps all that JSON keeps', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (generated) => {
        // without -0, which JSON does not know
        const value = JSON.parse(JSON.stringify(generated)) as unknown;
        const call = canonicalCall('find', value);
        expect(canonicalCall('find', reversed(value))).toBe(call);
        expect(JSON.parse(call.slice('"find":'.length))).toEqual(value);
      }),
    );
  });

  test.each<[string, unknown, unknown]>([
    ['a number and its string', { a: 1 }, { a: '1' }],
    ['null and nothing', { a: null }, {}],
    ['no arguments and null', undefined, null],
    ['an array and an object', [1], { 0: 1 }],
    ['the order of an array', [1, 2], [2, 1]],
    ['a BigInt and a number', { a: 1n }, { a: 1 }],
    ['dates', { at: new Date(0) }, { at: new Date(1) }],
    ['what JSON shows as empty', { data: new Map([[1, 2]]) }, { data: new Map([[1, 3]]) }],
    ['bytes', new Uint8Array([1]), new Uint8Array([2])],
    ['functions', () => 1, () => 1],
    ['numbers that JSON cannot express', Number.NaN, Infinity],
  ])('tells apart: %s', (_what, one, other) => {
    expect(canonicalCall('find', one)).not.toBe(canonicalCall('find', other));
  });

  test.each<[string, unknown, unknown]>([
    ['an undefined key and a missing key', { a: 1, b: undefined }, { a: 1 }],
    ['zero and minus zero', [0], [-0]],
    ['dates of the same time', { at: new Date(5) }, { at: new Date(5) }],
    ['BigInts', [10n], [10n]],
    ['an object without a prototype', Object.assign(Object.create(null), { a: 1 }), { a: 1 }],
  ])('treats as equal: %s', (_what, one, other) => {
    expect(canonicalCall('find', one)).toBe(canonicalCall('find', other));
  });

  test('treats an object that JSON cannot express as equal to itself', () => {
    const data = new Map([[1, 2]]);
    expect(canonicalCall('find', { data })).toBe(canonicalCall('find', { data }));
  });

  test('includes the name, which cannot be mistaken for arguments', () => {
    expect(canonicalCall('find', {})).not.toBe(canonicalCall('list', {}));
    expect(canonicalCall('a":{},"', {})).not.toBe(canonicalCall('a', {}));
  });

  test('ends for a cycle, and equal cycles are the same call', () => {
    const cycle = (name: string): object => {
      const top: Record<string, unknown> = { name };
      top['self'] = { top };
      return top;
    };
    expect(canonicalCall('find', cycle('a'))).toBe('"find":{"name":"a","self":{"top":<cycle 0>}}');
    expect(canonicalCall('find', cycle('b'))).not.toBe(canonicalCall('find', cycle('a')));
  });

  test('accepts the same object in two places', () => {
    const shared = { a: 1 };
    expect(canonicalCall('find', [shared, shared])).toBe('"find":[{"a":1},{"a":1}]');
  });

  test('treats an object that throws when it is read as equal only to itself', () => {
    const unreadable = {
      get secret(): string {
        throw new Error('no');
      },
    };
    const twin = { toJSON: () => Promise.reject.call(undefined) as unknown };
    expect(canonicalCall('find', unreadable)).toBe(canonicalCall('find', unreadable));
    expect(canonicalCall('find', twin)).not.toBe(canonicalCall('find', unreadable));
  });

  test('handles 20,000 levels and 200,000 items', () => {
    expect(canonicalCall('find', nested(20_000, 1))).toBe(canonicalCall('find', nested(20_000, 1)));
    expect(canonicalCall('find', nested(20_000, 1))).not.toBe(canonicalCall('find', nested(20_000, 2)));
    const items = Array.from({ length: 200_000 }, (_none, index) => index);
    expect(canonicalCall('find', items)).toBe(`"find":${JSON.stringify(items)}`);
  });
});
