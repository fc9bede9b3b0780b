import { APICallError } from '@ai-sdk/provider';
import type { SerializedError } from '@cueline/core';
import { guardFetch, toRunError } from '@cueline/core/models';
import { expect, test } from 'vitest';
import { errorTitle, isFixedInModelDialog } from '../../src/transcript/error-messages.ts';

const WRONG_ADDRESS = 'The model’s address looks wrong';

/** The error that core creates from a 404 with this body. */
function notFound(responseBody: string, message = 'Not Found'): SerializedError {
  const url = 'https://models.example/chat/completions';
  return toRunError(
    new APICallError({ message, url, requestBodyValues: {}, statusCode: 404, responseBody }),
  ).toJSON();
}

test.each([
  ['a web page', notFound('<!doctype html><html><h1>Not Found</h1></html>')],
  ['a web page over HTTP/2, which has no status text', notFound('<html></html>', '')],
  ['nothing', notFound('')],
  ['the words of a server for any path', notFound('{"detail":"Not Found"}')],
  ['the words of Go', notFound('404 page not found')],
])('a 404 with %s is about the address', (_name, error) => {
  expect(errorTitle(error)).toBe(WRONG_ADDRESS);
  expect(isFixedInModelDialog(error)).toBe(true);
});

test('a 404 whose body names the model is reported as a missing model', () => {
  const error = notFound('{"error":{"message":"The model `gpt-9` does not exist"}}');
  expect(errorTitle(error)).toBe('The provider refused this model');
  expect(isFixedInModelDialog(error)).toBe(true);
});

test.each([
  ['a web page', new Response('<html>', { headers: { 'content-type': 'text/html' } })],
  ['a redirect', new Response(null, { status: 302, headers: { location: 'https://models.example/login' } })],
])('%s in place of an answer is about the address', async (_name, response) => {
  const fetching = guardFetch(() => Promise.resolve(response))('https://models.example/v1');
  const error = toRunError(await fetching.catch((thrown: unknown) => thrown)).toJSON();
  expect(errorTitle(error)).toBe(WRONG_ADDRESS);
  expect(isFixedInModelDialog(error)).toBe(true);
});

test('an error inside the provider is not blamed on the settings', () => {
  const error: SerializedError = { code: 'provider_error', message: 'The model reported an error: no.' };
  expect(errorTitle(error)).toBe('The provider reported an error');
  expect(isFixedInModelDialog(error)).toBe(false);
});

test('a session that has used up its turns differs from other limits', () => {
  const error: SerializedError = {
    code: 'budget_exceeded',
    message: 'The session has taken its 50 turns.',
    details: { limit: 'turns' },
  };
  expect(errorTitle(error)).toBe('The session ran out of turns');
  expect(errorTitle({ ...error, details: { limit: 'steps' } })).toBe('The run reached a limit');
});
