import { APICallError, type LanguageModelV4, type LanguageModelV4StreamPart } from '@ai-sdk/provider';
import { runPrompt } from '@cueline/core';
import { scriptedModel } from '@cueline/core/testing';
import { streamText } from 'ai';
import { describe, expect, test, vi } from 'vitest';
import { createIssuedMetadata } from '../../src/sandbox/host/issued-metadata.ts';
import { ModelServer } from '../../src/sandbox/host/model-server.ts';
import { encodeMessage, type ToHost, type ToWorker } from '../../src/sandbox/protocol.ts';
import { createRemoteModel } from '../../src/sandbox/worker/remote-model.ts';

const key = 'sk-test-0123456789abcdef';
const limits = { calls: 10, concurrentCalls: 2, totalTokens: 1_000 };
const usage = {
  inputTokens: { total: 300, noCache: 300, cacheRead: undefined, cacheWrite: undefined },
  outputTokens: { total: 300, text: 300, reasoning: undefined },
};
const finish = { type: 'finish', finishReason: { unified: 'stop', raw: 'stop' }, usage } as const;

/** Page and worker with nothing but JSON text between them. */
function connect(model: LanguageModelV4, own: Partial<typeof limits> = {}) {
  const wire: string[] = [];
  const server = new ModelServer({
    model,
    limits: { ...limits, ...own },
    secrets: [key],
    issued: createIssuedMetadata(),
    send: (message) => {
      const text = encodeMessage(message);
      wire.push(text);
      queueMicrotask(() => remote.receive(JSON.parse(text) as Extract<ToWorker, { call: number }>));
    },
  });
  const remote = createRemoteModel({ provider: model.provider, modelId: model.modelId }, (message) => {
    const text = encodeMessage(message);
    wire.push(text);
    queueMicrotask(() => server.receive(JSON.parse(text) as Extract<ToHost, { call: number }>));
  });
  return { model: remote.model, server, wire };
}

function modelOf(doStream: LanguageModelV4['doStream']): LanguageModelV4 {
  return {
    specificationVersion: 'v4',
    provider: 'test',
    modelId: 'one',
    supportedUrls: {},
    doStream,
    doGenerate: () => Promise.reject(new Error('The page requests only streams.')),
  };
}

function streamOf(parts: LanguageModelV4StreamPart[]): ReadableStream<LanguageModelV4StreamPart> {
  return new ReadableStream({
    start(controller) {
      for (const part of parts) controller.enqueue(part);
      controller.close();
    },
  });
}

test('a complete answer reaches the worker', async () => {
  const { model } = connect(scriptedModel(['Hello there.']));
  const result = streamText({ model, prompt: 'Hi' });
  expect(await result.text).toBe('Hello there.');
  expect(await result.finishReason).toBe('stop');
});

test('a call without streaming collects the same stream', async () => {
  const { model } = connect(scriptedModel(['Hello there.']));
  const answer = await model.doGenerate({
    prompt: [{ role: 'user', content: [{ type: 'text', text: 'Hi' }] }],
  });
  expect(answer.content).toMatchObject([{ type: 'text', text: 'Hello there.' }]);
  expect(answer.finishReason.unified).toBe('stop');
});

test('headers and signals stay in the worker; request and response headers stay on the page', async () => {
  // Headers are not in the type, but some providers return them.
  const metadata = {
    type: 'response-metadata' as const,
    id: 'r1',
    timestamp: new Date(5),
    headers: { 'set-cookie': key },
  };
  const seen = vi.fn<LanguageModelV4['doStream']>(() =>
    Promise.resolve({
      stream: streamOf([
        { type: 'stream-start', warnings: [] },
        { type: 'raw', rawValue: { authorization: key } },
        metadata,
        finish,
      ]),
      request: { body: key },
      response: { headers: { 'x-key': key } },
    }),
  );
  const { model, wire } = connect(modelOf(seen));
  const result = streamText({
    model,
    prompt: 'Hi',
    headers: { 'x-own': 'no' },
    include: { rawChunks: true },
  });
  await result.consumeStream();
  expect((await result.response).timestamp).toEqual(new Date(5));
  expect(seen.mock.calls[0]?.[0]).not.toHaveProperty('headers');
  expect(wire.join('\n')).not.toContain(key);
});

describe('flow', () => {
  test('the first words travel with the parts that open them, at once', async () => {
    const unfinished = new ReadableStream<LanguageModelV4StreamPart>({
      start(controller) {
        controller.enqueue({ type: 'stream-start', warnings: [] });
        controller.enqueue({ type: 'response-metadata', id: 'r' });
        controller.enqueue({ type: 'text-start', id: '1' });
        controller.enqueue({ type: 'text-delta', id: '1', delta: 'Hel' });
        controller.enqueue({ type: 'text-delta', id: '1', delta: 'lo' });
      },
    });
    const { model, server, wire } = connect(modelOf(() => Promise.resolve({ stream: unfinished })));
    await model.doStream({ prompt: [{ role: 'user', content: [] }] });
    const parts = (): unknown[] =>
      wire
        .map((text) => JSON.parse(text) as ToWorker)
        .filter((message) => message.type === 'model-parts')
        .map((message) => message.parts.map(({ type }) => type));
    const opened = ['stream-start', 'response-metadata', 'text-start', 'text-delta'];
    await expect.poll(() => parts()).toEqual([opened, ['text-delta']]);
    server.close();
  });

  test('a part that opens a text does not wait long for its first words', async () => {
    const silent = new ReadableStream<LanguageModelV4StreamPart>({
      start: (controller) => controller.enqueue({ type: 'reasoning-start', id: '1' }),
    });
    const { model, server, wire } = connect(modelOf(() => Promise.resolve({ stream: silent })));
    await model.doStream({ prompt: [{ role: 'user', content: [] }] });
    await expect.poll(() => wire.join('')).toContain('reasoning-start');
    server.close();
  });

  test('a worker that does not read stops the page from reading', async () => {
    let given = 0;
    const endless = new ReadableStream<LanguageModelV4StreamPart>(
      {
        pull(controller) {
          given += 1;
          controller.enqueue({ type: 'text-end', id: String(given) });
        },
      },
      { highWaterMark: 0 },
    );
    const { model, server } = connect(modelOf(() => Promise.resolve({ stream: endless })));
    const { stream } = await model.doStream({ prompt: [{ role: 'user', content: [] }] });
    await new Promise((resolve) => setTimeout(resolve, 30));
    const before = given;
    expect(before).toBeLessThan(12);
    const reader = stream.getReader();
    for (let read = 0; read < 40; read += 1) await reader.read();
    expect(given).toBeGreaterThan(before);
    server.close();
  });

  test('aborting in the worker aborts the call of the page', async () => {
    let signal: AbortSignal | undefined;
    const { model } = connect(
      modelOf((options) => {
        signal = options.abortSignal;
        return new Promise(() => {});
      }),
    );
    const abort = new AbortController();
    const call = model.doStream({ prompt: [{ role: 'user', content: [] }], abortSignal: abort.signal });
    await expect.poll(() => signal).toBeDefined();
    abort.abort(new Error('enough'));
    await expect(call).rejects.toThrow('enough');
    await expect.poll(() => signal?.aborted).toBe(true);
  });

  test('calls beyond the limit wait for their turn', async () => {
    let running = 0;
    let most = 0;
    const { model } = connect(
      modelOf(async () => {
        most = Math.max(most, ++running);
        await new Promise((resolve) => setTimeout(resolve, 5));
        running -= 1;
        return {
          stream: streamOf([
            { ...finish, usage: { ...usage, inputTokens: { ...usage.inputTokens, total: 0 } } },
          ]),
        };
      }),
      { totalTokens: 10_000 },
    );
    await Promise.all(
      [1, 2, 3, 4, 5].map(() => model.doStream({ prompt: [] }).then(({ stream }) => stream.cancel())),
    );
    expect(most).toBe(2);
  });
});

describe('failures', () => {
  const failing = (statusCode: number, isRetryable: boolean) =>
    vi.fn(() =>
      Promise.reject(
        new APICallError({
          message: `Incorrect API key provided: ${key}.`,
          url: 'https://api.example.com/v1/responses',
          requestBodyValues: { secret: key },
          statusCode,
          responseHeaders: { 'set-cookie': key, 'retry-after': '0' },
          responseBody: `{"error":{"message":"Incorrect API key provided: ${key}."}}`,
          isRetryable,
        }),
      ),
    );

  test('a wrong key is reported in the provider’s words, without the key, and is not tried again', async () => {
    const doStream = failing(401, false);
    const { model, wire } = connect(modelOf(doStream));
    const errors: unknown[] = [];
    await streamText({
      model,
      prompt: 'Hi',
      onError: ({ error }) => void errors.push(error),
    }).consumeStream();
    expect(errors).toMatchObject([{ code: 'auth', details: { statusCode: 401 } }]);
    expect(String(errors[0])).toContain('Incorrect API key provided');
    expect(doStream).toHaveBeenCalledTimes(1);
    expect(wire.join('\n')).not.toContain(key);
  });

  test('the worker calls an overloaded server again', async () => {
    const doStream = failing(503, true);
    const { model } = connect(modelOf(doStream));
    await streamText({ model, prompt: 'Hi', maxRetries: 1, onError: () => {} }).consumeStream();
    expect(doStream).toHaveBeenCalledTimes(2);
  });

  test.each([
    ['insufficient_quota', true, 1],
    // as OpenAI's package throws what it reads in a stream
    ['insufficient_quota', false, 1],
    ['rate_limit_exceeded', true, 3],
  ])('a 429 with the code %s (retryable: %s) takes %i calls', async (code, isRetryable, calls) => {
    const doStream = vi.fn(() =>
      Promise.reject(
        new APICallError({
          message: 'No.',
          url: 'https://api.example.com/v1/responses',
          requestBodyValues: {},
          statusCode: 429,
          responseHeaders: { 'retry-after': '0' },
          data: { error: { message: 'No.', type: code, code } },
          isRetryable,
        }),
      ),
    );
    const { model } = connect(modelOf(doStream));
    const { run } = await runPrompt((prompt) => prompt.$`Hi`, { model });
    expect((await run.finished).error?.code).toBe('rate_limited');
    expect(doStream).toHaveBeenCalledTimes(calls);
  });

  test('an account without credit that a stream reports takes one call', async () => {
    const error = { type: 'insufficient_quota', code: 'insufficient_quota', message: 'No.' };
    const doStream = vi.fn(() => Promise.resolve({ stream: streamOf([{ type: 'error', error }]) }));
    const { model } = connect(modelOf(doStream));
    const { run } = await runPrompt((prompt) => prompt.$`Hi`, { model });
    expect((await run.finished).error?.code).toBe('rate_limited');
    expect(doStream).toHaveBeenCalledTimes(1);
  });

  test('a stream that is cut off keeps what came before', async () => {
    const broken = new ReadableStream<LanguageModelV4StreamPart>({
      start(controller) {
        controller.enqueue({ type: 'text-start', id: '1' });
        controller.enqueue({ type: 'text-delta', id: '1', delta: 'Half an ans' });
      },
      pull: (controller) => controller.error(new TypeError('network error')),
    });
    const { model } = connect(modelOf(() => Promise.resolve({ stream: broken })));
    const { stream } = await model.doStream({ prompt: [] });
    await new Promise((resolve) => setTimeout(resolve, 20));
    const reader = stream.getReader();
    expect((await reader.read()).value).toMatchObject({ type: 'text-start' });
    expect((await reader.read()).value).toMatchObject({ delta: 'Half an ans' });
    await expect(reader.read()).rejects.toMatchObject({ code: 'stream_truncated' });
  });

  test('a run that exceeds its budget of calls or tokens fails', async () => {
    const answer = (): Promise<{ stream: ReadableStream<LanguageModelV4StreamPart> }> =>
      Promise.resolve({ stream: streamOf([finish]) });
    const ask = async (model: LanguageModelV4): Promise<unknown> => {
      const { stream } = await model.doStream({ prompt: [] });
      return stream.pipeTo(new WritableStream());
    };

    const few = connect(modelOf(answer), { calls: 1 });
    await ask(few.model);
    await expect(ask(few.model)).rejects.toMatchObject({
      code: 'sandbox_refused',
      message: /made 1 model calls/,
    });

    const costly = connect(modelOf(answer));
    await ask(costly.model);
    await ask(costly.model);
    await expect(ask(costly.model)).rejects.toMatchObject({
      code: 'sandbox_refused',
      message: /1,200 tokens/,
    });
  });

  test('an answer that is aborted before its end counts, too', async () => {
    const words = { type: 'text-delta', id: '1', delta: 'x'.repeat(2_000) } as const;
    const { model } = connect(
      modelOf(() => Promise.resolve({ stream: new ReadableStream({ pull: (out) => out.enqueue(words) }) })),
    );
    const ask = async (): Promise<void> => {
      const { stream } = await model.doStream({ prompt: [] });
      const reader = stream.getReader();
      await reader.read();
      await reader.cancel();
    };
    await expect(
      (async () => {
        for (let made = 0; made < 5; made += 1) await ask();
      })(),
    ).rejects.toMatchObject({ code: 'sandbox_refused', message: /tokens, the limit/ });
  });
});
