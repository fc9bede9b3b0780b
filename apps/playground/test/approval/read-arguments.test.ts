import { expect, test } from 'vitest';
import { readArguments } from '../../src/approval/read-arguments.ts';

test.each([
  ['{"to":"all"}', { to: 'all' }],
  [' [1] ', [1]],
  ['null', null],
])('%s is JSON', (text, value) => {
  expect(readArguments(text)).toEqual({ value });
});

test.each(['', '  ', '{to: 1}', '{"to":', 'undefined'])(
  '%j is not valid JSON for arguments, and the message says so',
  (text) => {
    expect(readArguments(text)).toEqual({ fault: expect.stringMatching(/JSON/) });
  },
);
