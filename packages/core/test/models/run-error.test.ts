import { APICallError, LoadAPIKeyError, NoSuchModelError } from '@ai-sdk/provider';
import { CuelineError } from '@cueline/core';
import { resolveModel, toRunError } from '@cueline/core/models';
import { type ScriptedTurn, scriptedModel } from '@cueline/core/testing';
import { NoOutputGeneratedError, RetryError, streamText } from 'ai';
import * as fc from 'fast-check';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { chat, startServer } from './chat-server.ts';

afterEach(() => void vi.unstubAllGlobals());

const call = (statusCode: number | undefined, message: string, more: object = {}) =>
  new APICallError({
    message,
    url: 'https://api.example.com/v1/responses',
    requestBodyValues: { prompt: 'private' },
    ...(statusCode === undefined ? {} : { statusCode }),
    ...more,
  });

/** What streamText reports of a model, as a run's error. */
async function failureOf(
  model: Awaited<ReturnType<typeof resolveModel>>,
  secrets: string[] = [],
): Promise<CuelineError> {
  const result = streamText({ model, prompt: 'Hi', maxRetries: 0, onError() {} });
  try {
    for await (const part of result.stream) if (part.type === 'error') return toRunError(part.error, secrets);
  } catch (error) {
    return toRunError(error, secrets);
  }
  throw new Error('nothing failed');
}

const scripted = (...turn: Exclude<ScriptedTurn, string>) => failureOf(scriptedModel([turn]));

describe('toRunError', () => {
  test.each<[number, string, string]>([
    [
      401,
      'auth',
      'api.example.com refused the API key (401): Nope. Check that there is a key, that it is complete, and that it belongs to this provider.',
    ],
    [403, 'model_denied', 'api.example.com does not offer this model (403): Nope.'],
    [404, 'model_denied', 'Check the model id and the base URL, and that the key may use this model.'],
    [402, 'rate_limited', 'Nope.'],
    [429, 'rate_limited', 'api.example.com accepts no more requests at the moment (429): Nope. Wait a while'],
    [500, 'provider_error', 'api.example.com reported an error (500): Nope.'],
    [502, 'overloaded', 'Nope.'],
    [503, 'overloaded', 'api.example.com is overloaded (503): Nope. Try again in a while.'],
    [529, 'overloaded', 'Nope.'],
    [424, 'provider_error', 'api.example.com reported an error (424): Nope.'],
    [400, 'bad_request', 'api.example.com did not accept the request (400): Nope.'],
    [422, 'bad_request', 'Nope.'],
    [408, 'timeout', 'Nope.'],
  ])('status %i is %s', (status, code, message) => {
    const error = toRunError(call(status, 'Nope.'));
    expect(error.code).toBe(code);
    expect(error.message).toContain(message);
    expect(error.details).toEqual({ statusCode: status, host: 'api.example.com' });
  });

  test.each<[string, string]>([
    ['{"error":{"message":"The model does not exist"}}', 'The model does not exist'],
    ['{"error":"model \'x\' not found"}', "model 'x' not found"],
    ['[{"error":{"code":404,"message":"models/x is not found"}}]', 'models/x is not found'],
    ['{"detail":"Not here"}', 'Not here'],
    ['{"detail":[{"msg":"x"}],"message":"Invalid"}', 'Invalid'],
    ['plain words', 'plain words'],
    ['<!doctype html><title>404</title>', 'Not Found'],
    ['', 'Not Found'],
  ])("the message contains the provider's text: %s", (responseBody, message) => {
    expect(toRunError(call(404, 'Not Found', { responseBody })).message).toContain(`(404): ${message}`);
  });

  test('a wrong key that is reported as a bad request is still auth', () => {
    const google = 'API key not valid. Please pass a valid API key.';
    expect(toRunError(call(400, google)).code).toBe('auth');
  });

  test.each([false, true])('a deeply nested error body is an ordinary bad request (%s)', (isRead) => {
    const responseBody = `{"error":${'['.repeat(50_000)}${']'.repeat(50_000)}}`;
    const data: unknown = isRead ? JSON.parse(responseBody) : undefined;
    expect(toRunError(call(400, 'Bad Request', { responseBody, data }))).toMatchObject({
      code: 'bad_request',
      message: expect.stringContaining('Bad Request'),
    });
  });

  test('Retry-After is kept, and the last of several attempts counts', () => {
    const last = call(429, 'Slow down', { responseHeaders: { 'retry-after': '20' } });
    const error = toRunError(
      new RetryError({ message: 'Failed', reason: 'maxRetriesExceeded', errors: [call(500, 'x'), last] }),
    );
    expect(error.code).toBe('rate_limited');
    expect(error.details).toEqual({
      statusCode: 429,
      host: 'api.example.com',
      retryAfter: '20',
      attempts: 2,
    });
    expect(error.message).toContain('Slow down');
  });

  test.each<[unknown, string, string]>([
    [new DOMException('This operation was aborted', 'AbortError'), 'aborted', 'The run was stopped.'],
    [new DOMException('signal timed out', 'TimeoutError'), 'timeout', 'signal timed out'],
    [new NoOutputGeneratedError({ cause: call(401, 'Wrong') }), 'auth', 'Wrong'],
    [
      new NoOutputGeneratedError({ message: 'The model stream ended without a finish chunk.' }),
      'stream_truncated',
      'stopped in the middle',
    ],
    [
      new LoadAPIKeyError({ message: 'OpenAI API key is missing.' }),
      'missing_key',
      'OpenAI API key is missing.',
    ],
    [new NoSuchModelError({ modelId: 'x', modelType: 'languageModel' }), 'unknown_model', 'x'],
    [new TypeError('fetch failed'), 'network', 'Check the address, and that the server is running.'],
    [new TypeError('Failed to fetch'), 'network', 'Could not reach'],
    [new TypeError('Load failed'), 'network', 'Could not reach'],
    [new TypeError('terminated'), 'stream_truncated', 'stopped in the middle of its answer'],
    [new TypeError('network error'), 'stream_truncated', 'Try again.'],
    [
      { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } },
      'overloaded',
      'Overloaded',
    ],
    [
      { error: { code: 'insufficient_quota', message: 'You exceeded your quota.' } },
      'rate_limited',
      'You exceeded your quota.',
    ],
    [{ response: { error: { code: 'server_error', message: 'It broke' } } }, 'provider_error', 'It broke'],
    [{ message: 'No such thing', code: 'model_not_found' }, 'model_denied', 'No such thing'],
    // OpenRouter, in a stream
    [{ code: 429, message: 'Slow down' }, 'rate_limited', 'at the moment (429): Slow down.'],
    [{ code: 1302, message: 'Slow down' }, 'provider_error', 'The model reported an error: Slow down.'],
    // Azure, for the request; Bedrock, for a connection that breaks
    [
      call(400, 'Filtered.', { data: { error: { code: 'content_filter', message: 'Filtered.' } } }),
      'content_filter',
      'refused the request with its content filter (400): Filtered.',
    ],
    [
      new Error('Incomplete Amazon Bedrock event-stream frame: 9 buffered bytes remain at end of stream.'),
      'stream_truncated',
      'stopped in the middle',
    ],
    [{ error: { message: 'too long', type: 'invalid_request_error' } }, 'bad_request', 'too long'],
    ['just words', 'provider_error', 'just words'],
    [new Error('boom'), 'provider_error', 'boom'],
    [undefined, 'provider_error', 'The model reported an error.'],
    [null, 'provider_error', 'The model reported an error.'],
    [42, 'provider_error', 'The model reported an error.'],
    [{}, 'provider_error', 'it gave no reason'],
  ])('%o is %s', (thrown, code, message) => {
    const error = toRunError(thrown);
    expect(error.code).toBe(code);
    expect(error.message).toContain(message);
  });

  test('a CuelineError stays unchanged', () => {
    const error = new CuelineError('missing_key', 'Set OPENAI_API_KEY.');
    expect(toRunError(error)).toBe(error);
  });

  test('a circular cause ends', () => {
    const error = new NoOutputGeneratedError({ message: 'round' });
    Object.defineProperty(error, 'cause', { value: error });
    expect(toRunError(error).message).toContain('round');
  });

  test('any thrown value becomes a CuelineError that can be JSON', () => {
    fc.assert(
      fc.property(fc.anything(), (thrown) => {
        const error = toRunError(thrown);
        expect(CuelineError.isInstance(error)).toBe(true);
        expect(error.message).not.toBe('');
        expect(JSON.parse(JSON.stringify(error))).toMatchObject({ code: error.code });
      }),
    );
  });
});

describe('keys', () => {
  test.each([
    'Incorrect API key provided: sk-proj-abc123DEF_45. You can find it',
    'Authorization: Bearer abc.def-123 was refused',
    'header x-api-key: 0123456789abcdef is wrong',
    '{"x-api-key":"0123456789abcdef"}',
    'AIzaSyA1234567890abcdefg is not valid',
    'https://a.example/?key=0123456789abcdef',
    'Invalid key gsk_0123456789abcdef',
    'the key my-literal-key-0001 is unknown',
  ])('are removed from: %s', (message) => {
    const error = toRunError(call(401, message), ['my-literal-key-0001']);
    expect(JSON.stringify(error)).toContain('[redacted]');
    expect(JSON.stringify(error)).not.toMatch(/abc123|abc\.def|0123456789abcdef|SyA1234|literal-key/);
  });

  test.each([
    'The task-1 of gpt-4o asked for a key; see https://platform.openai.com/docs/api-keys.',
    'A key-value store with api_key: required, and Bearer token is missing.',
    'The risk-averse sk-learn and xai-1 are none of them.',
  ])('are not seen in: %s', (message) => {
    expect(toRunError(call(400, message), ['none', '']).message).toContain(message);
  });

  test('are removed from details and from CuelineErrors', () => {
    const error = new CuelineError('provider_error', 'Said literal-key-0001', {
      details: { said: ['literal-key-0001'] },
    });
    expect(JSON.stringify(toRunError(error, ['literal-key-0001']))).not.toContain('literal-key-0001');
  });

  test('are removed whole if one contains another', () => {
    expect(
      toRunError('x secret-key-00 y secret-key-0011', ['secret-key-00', 'secret-key-0011']).message,
    ).toContain('x [redacted] y [redacted]');
  });
});

describe('over HTTP', () => {
  const modelAt = (base: string) =>
    resolveModel('lab:m', {
      env: { LAB_API_BASE: base, LAB_API_TYPE: 'openai', LAB_API_KEY: 'lab-key-0001' },
    });

  test('an unreachable server', async () => {
    const error = await failureOf(await modelAt('http://127.0.0.1:1/v1'));
    expect(error.toJSON()).toMatchInlineSnapshot(`
      {
        "code": "network",
        "details": {
          "origin": "http://127.0.0.1:1",
        },
        "message": "Could not reach http://127.0.0.1:1. Check the address, and that the server is running.",
      }
    `);
  });

  test('an unreachable server, seen from a browser', async () => {
    vi.stubGlobal('navigator', { userAgent: 'Mozilla/5.0' });
    const model = await resolveModel('lab:m', {
      env: { LAB_API_BASE: 'http://localhost:11434/v1', LAB_API_TYPE: 'openai' },
      fetch: () => Promise.reject(new TypeError('Failed to fetch')),
    });
    const error = await failureOf(model);
    expect(error.code).toBe('network');
    expect(error.message).toBe(
      'Could not reach http://localhost:11434. Check the address, and that the server is running. ' +
        "From a browser, the server must allow this page's origin (CORS). For Ollama set OLLAMA_ORIGINS.",
    );
  });

  test("the page's own server is unreachable", async () => {
    vi.stubGlobal('navigator', { userAgent: 'Mozilla/5.0' });
    vi.stubGlobal('location', { origin: 'http://localhost:4175' });
    const model = await resolveModel('lab:m', {
      env: { LAB_API_BASE: 'http://localhost:4175/api/models/lab', LAB_API_TYPE: 'openai' },
      fetch: () => Promise.reject(new TypeError('Failed to fetch')),
    });
    expect((await failureOf(model)).message).toBe(
      'Could not reach http://localhost:4175. Check the connection, and that the server is running.',
    );
  });

  test.each([
    ['https://lab.example/v1', 3],
    ['http://localhost:11434/v1', 1],
  ])('a connection to %s that fails in a browser is tried %i times', async (base, attempts) => {
    vi.stubGlobal('navigator', { userAgent: 'Mozilla/5.0' });
    vi.useFakeTimers();
    const fetch = vi.fn<typeof globalThis.fetch>(() => Promise.reject(new TypeError('Failed to fetch')));
    const env = { LAB_API_BASE: base, LAB_API_TYPE: 'openai', LAB_API_KEY: 'k' };
    const model = await resolveModel('lab:m', { env, fetch });
    const result = streamText({ model, prompt: 'Hi', onError() {} });
    const ended = result.consumeStream();
    await vi.runAllTimersAsync();
    await ended;
    vi.useRealTimers();
    expect(fetch).toHaveBeenCalledTimes(attempts);
  });

  test('a redirect is refused: the key is not sent elsewhere', async () => {
    await using elsewhere = await startServer((response) => chat(response, ['got it']));
    await using server = await startServer((response) => {
      response.writeHead(307, { location: `${elsewhere.url}/chat/completions` }).end();
    });
    const error = await failureOf(await modelAt(server.url));
    expect(error.code).toBe('redirect_blocked');
    expect(error.message).toContain('Set the base URL to the address where the API itself answers.');
    expect(elsewhere.seen).toEqual([]);
  });

  test('the opaque redirect of a browser is refused', async () => {
    const opaque = Object.defineProperty(new Response(null), 'type', { value: 'opaqueredirect' });
    const model = await resolveModel('lab:m', {
      env: { LAB_API_BASE: 'https://lab.example/v1', LAB_API_TYPE: 'openai', LAB_API_KEY: 'k' },
      fetch: async (_input, init) => {
        expect(init?.redirect).toBe('manual');
        return opaque;
      },
    });
    expect((await failureOf(model)).code).toBe('redirect_blocked');
  });

  test('a web page in place of an answer', async () => {
    await using server = await startServer((response) => {
      response.writeHead(200, { 'content-type': 'text/html' }).end('<!doctype html><title>Hello</title>');
    });
    const error = await failureOf(await modelAt(server.url));
    expect(error.code).toBe('provider_error');
    expect(error.message).toContain('answered with a web page');
    expect(error.details).toMatchObject({ statusCode: 200, contentType: 'text/html' });
  });

  test('a connection that breaks in the middle', async () => {
    await using server = await startServer((response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write('data: {"id":"c","choices":[{"index":0,"delta":{"content":"Half"}}]}\n\n', () =>
        response.destroy(),
      );
    });
    expect((await failureOf(await modelAt(server.url))).code).toBe('stream_truncated');
  });

  test('an error event in the middle of a stream', async () => {
    await using server = await startServer((response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.end('data: {"error":{"message":"The GPU is on fire","type":"server_error"}}\n\n');
    });
    const error = await failureOf(await modelAt(server.url));
    expect(error.code).toBe('provider_error');
    expect(error.message).toContain('The GPU is on fire');
  });

  test('an abort is an abort', async () => {
    await using server = await startServer(
      (response) => void response.writeHead(200, { 'content-type': 'text/event-stream' }).write(': wait\n\n'),
    );
    const controller = new AbortController();
    const model = await modelAt(server.url);
    const calling = model.doStream({
      prompt: [{ role: 'user', content: [{ type: 'text', text: 'Hi' }] }],
      abortSignal: controller.signal,
    } as never);
    controller.abort();
    const error: unknown = await Promise.resolve(calling).catch((thrown: unknown) => thrown);
    expect(toRunError(error).code).toBe('aborted');
  });
});

describe('of a scripted model', () => {
  test('errors equal those of a real provider', async () => {
    expect((await scripted({ throw: { message: 'No', status: 401 } })).code).toBe('auth');
    expect((await scripted('a', { error: { type: 'overloaded_error', message: 'Busy' } })).code).toBe(
      'overloaded',
    );
    expect((await scripted('a', { error: 'odd' })).message).toContain('odd');
  });
});
