import { expect, test } from 'vitest';
import { isSameJson } from '../../src/json/is-same-json.ts';

const data = { text: 'a', list: [1, null, { deep: true }], number: 0.5 };

test.each<[string, unknown, unknown, boolean]>([
  ['the same data', data, structuredClone(data), true],
  ['a member without a value', { a: 1, b: undefined }, { a: 1 }, true],
  ['another value', { a: 1 }, { a: 2 }, false],
  ['a member more', { a: 1, b: 2 }, { a: 1 }, false],
  ['a member less', { a: 1 }, { a: 1, b: 2 }, false],
  ['an inherited member', { toString: 'a' }, {}, false],
  ['another order of a list', [1, 2], [2, 1], false],
  ['a list and an object', ['a'], { 0: 'a' }, false],
  ['a date, which JSON holds as a text', new Date(0), {}, false],
  ['bytes', new Uint8Array(), {}, false],
  ['an object that writes itself', { a: 1, toJSON: () => ({ a: 2 }) }, { a: 1 }, false],
  ['a number that JSON cannot hold', Number.NaN, null, false],
])('%s', (_name, value, json, same) => {
  expect(isSameJson(value, json)).toBe(same);
});
