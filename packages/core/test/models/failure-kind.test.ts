import { createRun, definePrompt, inProcess, type CuelineError } from '@cueline/core';
import { resolveModel, toRunError } from '@cueline/core/models';
import { describe, expect, test } from 'vitest';
import { startServer } from './chat-server.ts';

const greet = definePrompt('greet', (prompt) => prompt.$`Hi`);

/** The error of a run whose provider answers with this status and body. */
async function errorOf(provider: string, status: number, body: object): Promise<CuelineError> {
  await using server = await startServer((response) => {
    response.writeHead(status, { 'content-type': 'application/json', 'retry-after': '0' });
    response.end(JSON.stringify(body));
  });
  const name = provider.toUpperCase();
  const type = provider === 'lab' ? { LAB_API_TYPE: 'openai' } : {};
  const env = { [`${name}_API_KEY`]: 'key', [`${name}_API_BASE`]: server.url, ...type };
  const model = await resolveModel(`${provider}:m`, { env });
  const run = createRun(greet, { model, executor: inProcess(), options: {} });
  return await run.start().then(
    () => expect.unreachable(),
    (error: CuelineError) => error,
  );
}

describe('a conversation that is too long is context_overflow', () => {
  // LM Studio and llama.cpp are servers that the environment describes
  test.each<[string, string, number, object]>([
    [
      'Google',
      'google',
      400,
      {
        error: {
          code: 400,
          message: 'The input token count (1100000) exceeds the maximum number of tokens allowed (1048576).',
          status: 'INVALID_ARGUMENT',
        },
      },
    ],
    [
      'xAI',
      'xai',
      400,
      {
        code: 'Client specified an invalid argument',
        error: "This model's maximum prompt length is 131072 but the request contains 140000 tokens.",
      },
    ],
    [
      'Groq',
      'groq',
      400,
      {
        error: {
          message: 'Please reduce the length of the messages or completion.',
          type: 'invalid_request_error',
          param: 'messages',
          code: 'context_length_exceeded',
        },
      },
    ],
    [
      'Groq, above the tokens per minute',
      'groq',
      413,
      {
        error: {
          message: 'Request too large for model `m` on tokens per minute (TPM): Limit 6000, Requested 9000',
          type: 'tokens',
          code: 'rate_limit_exceeded',
        },
      },
    ],
    [
      'llama.cpp',
      'lab',
      400,
      {
        error: {
          code: 400,
          message: 'The request has too many tokens.',
          type: 'exceed_context_size_error',
          n_ctx: 4096,
        },
      },
    ],
    [
      'llama.cpp, before it had a type',
      'lab',
      400,
      { error: { code: 400, message: 'the request exceeds the available context size.' } },
    ],
    [
      'LM Studio',
      'lab',
      400,
      { error: 'However, the model is loaded with context length of only 4096 tokens' },
    ],
  ])('of %s', async (_who, provider, status, body) => {
    expect(await errorOf(provider, status, body)).toMatchObject({ code: 'context_overflow' });
  });

  test('also as an event of a stream, but not as an error of other code', () => {
    const message = 'the model is loaded with context length of only 4096 tokens';
    expect(toRunError({ error: { message } }).code).toBe('context_overflow');
    expect(toRunError(new Error(message)).code).toBe('provider_error');
  });
});

test('an account of Anthropic without credit is rate_limited', () => {
  const message = 'Your credit balance is too low to access the Anthropic API.';
  const error = { type: 'error', error: { type: 'invalid_request_error', message } };
  expect(toRunError(error).code).toBe('rate_limited');
});
