import { CuelineError } from '@cueline/core';
import { expect, test } from 'vitest';
import { describeError } from '../../src/sandbox/worker/describe-error.ts';
import { locateInStack } from '../../src/sandbox/worker/locate-error.ts';

const cyclic: Record<string, unknown> = {};
cyclic['self'] = cyclic;
const refuse = (): never => {
  throw new Error('trap');
};
const unreadable = new Proxy({}, { get: refuse, getPrototypeOf: refuse });
const unreadableError = new Proxy(new Error('late'), { get: refuse });
const unsayable: unknown = Object.assign(Object.create(null) as object, { self: cyclic });

test.each<[unknown, string]>([
  [new Error('late'), 'late'],
  [new RangeError('late'), 'RangeError: late'],
  [new CuelineError('script_error', 'No prompt.'), 'No prompt.'],
  [{ a: 1 }, 'The script threw {"a":1}'],
  [{}, 'The script threw {}'],
  [Object.create(null), 'The script threw {}'],
  [new Response(null, { status: 404 }), 'The script threw Response {}'],
  [Object.create({ constructor: { name: 'Failure' }, message: 'late' }), 'The script threw Failure: late'],
  [undefined, 'The script threw undefined'],
  [10n, 'The script threw 10'],
  [cyclic, 'The script threw [object Object]'],
  [unsayable, 'The script threw a value of type object'],
  [unreadable, 'The script threw a value of type object'],
  [unreadableError, 'The script threw a value of type object'],
])('%# is described', (error, words) => {
  expect(describeError(error)).toBe(words);
  expect(locateInStack(error, 'blob:script')).toBeUndefined();
});
