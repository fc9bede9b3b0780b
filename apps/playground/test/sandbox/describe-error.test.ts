import { CuelineError } from '@cueline/core';
import { expect, test } from 'vitest';
import { describeError } from '../../src/sandbox/worker/describe-error.ts';

const cyclic: Record<string, unknown> = {};
cyclic['self'] = cyclic;
const unsayable: unknown = Object.assign(Object.create(null) as object, { self: cyclic });

test.each<[unknown, string]>([
  [new Error('late'), 'late'],
  [new RangeError('late'), 'RangeError: late'],
  [new CuelineError('script_error', 'No prompt.'), 'No prompt.'],
  [{ a: 1 }, 'The script threw {"a":1}'],
  [undefined, 'The script threw undefined'],
  [10n, 'The script threw 10'],
  [cyclic, 'The script threw [object Object]'],
  [unsayable, 'The script threw a value of type object'],
])('%# is described', (error, words) => {
  expect(describeError(error)).toBe(words);
});
