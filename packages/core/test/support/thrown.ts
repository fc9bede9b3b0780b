import { runInNewContext } from 'node:vm';

const throwing = (): never => {
  throw new Error('A getter threw.');
};

const unreadable = 'an object that cannot be read';
/** What a function may throw, and how it reads in a sentence. */
export const thrown: [name: string, make: () => unknown, text: string][] = [
  ['a text', () => 'oops', 'oops'],
  ['an empty text', () => '', ''],
  ['null', () => null, 'null'],
  ['undefined', () => undefined, 'undefined'],
  ['a number', () => 0, '0'],
  ['a BigInt', () => 7n, '7'],
  ['a symbol', () => Symbol('s'), 'Symbol(s)'],
  ['a function', () => () => 1, '() => 1'],
  ['a frozen error', () => Object.freeze(new Error('Frozen.')), 'Frozen.'],
  ['an error of another realm', () => runInNewContext(`new RangeError('Foreign.')`) as Error, 'Foreign.'],
  ['an error without a message', () => new RangeError(), 'RangeError'],
  ['an object', () => ({ a: 1 }), '{"a":1}'],
  ['an object without a prototype', () => Object.create(null) as object, '{}'],
  ['an object that contains itself', () => cyclic(), unreadable],
  ['an object nested 20,000 deep', () => nested(20_000), unreadable],
  [
    'an object whose getters throw',
    () => Object.defineProperty({}, 'message', { get: throwing }),
    unreadable,
  ],
  ['an error whose getter throws', () => withGetter(new Error('x')), unreadable],
  ['a proxy that throws', () => new Proxy({}, { get: throwing, getPrototypeOf: throwing }), unreadable],
];

function cyclic(): object {
  const object: Record<string, unknown> = {};
  object['self'] = object;
  return object;
}

export function nested(depth: number): unknown {
  let value: unknown = 1;
  for (let level = 0; level < depth; level += 1) value = [value];
  return value;
}

function withGetter(error: Error): Error {
  return Object.defineProperty(error, 'message', { get: throwing });
}
