import type { CuelineErrorCode, SerializedError } from '@cueline/core';
import { expect, test } from 'vitest';
import { attributeError } from '../../src/sandbox/host/attribute-error.ts';

const refused: SerializedError = {
  code: 'auth',
  message: 'The provider refused the key (401): No such key.',
  details: { statusCode: 401 },
};
const overloaded: SerializedError = { code: 'overloaded', message: 'The provider is overloaded (503).' };

test('an error that the model server sent is accepted', () => {
  expect(attributeError(refused, [overloaded, refused])).toEqual(refused);
});

test('an error gets its number of attempts from the worker, which alone knows it', () => {
  const claim = {
    ...overloaded,
    message: `${overloaded.message} (3 attempts)`,
    details: { attempts: 3, more: '<b>' },
  };
  expect(attributeError(claim, [overloaded])).toEqual({ ...claim, details: { attempts: 3 } });
});

test.each<CuelineErrorCode>([
  'auth',
  'missing_key',
  'model_denied',
  'unknown_model',
  'rate_limited',
  'overloaded',
  'network',
  'bad_request',
  'missing_setting',
  'invalid_base_url',
  'provider_error',
  'redirect_blocked',
  'sandbox_refused',
  'sandbox_unresponsive',
])('an error that the model server never sent is one of the script, though it says %s', (code) => {
  const claim = { code, message: 'Your key has expired. Renew it at https://evil.example' };
  expect(attributeError(claim, [])).toEqual({ ...claim, code: 'script_error' });
});

test('a code that the server has sent gets the server’s message', () => {
  const claim: SerializedError = { code: 'auth', message: 'Renew your key at https://evil.example' };
  expect(attributeError(claim, [refused])).toEqual(refused);
});

test('an unknown code is a script error', () => {
  const claim = { code: 'constructor' as CuelineErrorCode, message: 'x' };
  expect(attributeError(claim, [])).toEqual({ code: 'script_error', message: 'x' });
});

test('a code that a worker can detect is kept, without a position outside the worker', () => {
  const claim: SerializedError = {
    code: 'invalid_definition',
    message: 'A tool needs a name.',
    details: { line: 1e9, column: -5, name: '' },
  };
  expect(attributeError(claim, [])).toEqual({ ...claim, details: { name: '' } });
});

test.each<CuelineErrorCode>(['tasks_incomplete', 'budget_exceeded', 'loop_detected', 'parse_failed'])(
  '%s is accepted from the runner in the worker',
  (code) => {
    const claim = { code, message: 'Two tasks are open.', details: { open: ['task-1', 'task-2'] } };
    expect(attributeError(claim, [refused])).toEqual(claim);
  },
);
