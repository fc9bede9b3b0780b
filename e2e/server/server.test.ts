import { createOpenAI } from '@ai-sdk/openai';
import { isStepCount, streamText, tool } from 'ai';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { faults } from './faults.ts';
import { startModelServer, type ModelServer } from './server.ts';

let server: ModelServer;
beforeEach(async () => {
  server = await startModelServer({ toolInputs: { getWeather: { city: 'Lisbon' } } });
});
afterEach(() => server.close());

const getWeather = tool({
  description: 'Weather for a city',
  inputSchema: z.object({ city: z.string() }),
  execute: ({ city }) => `sunny in ${city}`,
});

describe.each(['chat', 'responses'] as const)('through @ai-sdk/openai .%s()', (format) => {
  function run(
    modelId: string,
    options: { tools?: { getWeather: typeof getWeather }; signal?: AbortSignal } = {},
  ) {
    const openai = createOpenAI({ baseURL: server.baseURL, apiKey: 'sk-secret' });
    const errors: unknown[] = [];
    const result = streamText({
      model: openai[format](modelId),
      prompt: 'How is the weather?',
      maxRetries: 0,
      stopWhen: isStepCount(5),
      onError: ({ error }) => void errors.push(error),
      ...(options.tools && { tools: options.tools }),
      ...(options.signal && { abortSignal: options.signal }),
    });
    return { result, errors };
  }

  test('repeats a question word by word, with usage', async () => {
    const { result } = run('test-model');
    const pieces = await Array.fromAsync(result.textStream);
    expect(pieces).toEqual(['You', ' said:', ' How', ' is', ' the', ' weather?']);
    expect(await result.finishReason).toBe('stop');
    expect(await result.usage).toMatchObject({ inputTokens: 4, outputTokens: 6, totalTokens: 10 });
  });

  test('calls the first tool with the configured input, then answers with its result', async () => {
    const { result, errors } = run('test-model', { tools: { getWeather } });
    expect(await result.text).toBe('The tool said: sunny in Lisbon');
    const steps = await result.steps;
    expect(steps.map((step) => step.finishReason)).toEqual(['tool-calls', 'stop']);
    expect(steps[0]?.toolCalls[0]).toMatchObject({ toolName: 'getWeather', input: { city: 'Lisbon' } });
    expect(errors).toEqual([]);
  });

  test('answers as planned, text and two tools in one step, then by its own rule again', async () => {
    server.plan([
      [
        { text: 'Let me look.' },
        { toolCall: { input: { city: 'Oslo' } } },
        { toolCall: { name: 'getWeather', input: { city: 'Rome' } } },
      ],
    ]);
    const { result } = run('test-model', { tools: { getWeather } });
    expect(await result.text).toBe('The tool said: sunny in Oslo and sunny in Rome');
    const [first] = await result.steps;
    expect(first?.text).toBe('Let me look.');
    expect(first?.toolCalls.map((call) => call.input)).toEqual([{ city: 'Oslo' }, { city: 'Rome' }]);
  });

  test('records what arrived, key included', async () => {
    await run('test-model').result.text;
    expect(server.requests).toHaveLength(1);
    const [request] = server.requests;
    expect(request?.path).toBe(format === 'chat' ? '/v1/chat/completions' : '/v1/responses');
    expect(request?.headers.authorization).toBe('Bearer sk-secret');
    expect(request?.body).toMatchObject({ model: 'test-model', stream: true });
    expect(request?.aborted).toBe(false);
  });

  test('fault-401 repeats the key in its message', async () => {
    const { result, errors } = run('fault-401');
    await result.consumeStream();
    expect(errors).toMatchObject([{ statusCode: 401, message: 'Incorrect API key provided: sk-secret.' }]);
  });

  test('fault-midstream sends text, then an error object', async () => {
    const { result, errors } = run('fault-midstream', { tools: { getWeather } });
    const pieces = await Array.fromAsync(result.textStream);
    expect(pieces).toEqual(['You', ' said:']);
    expect(errors).toHaveLength(1);
    expect(JSON.stringify(errors)).toContain('had an error while processing');
  });

  test('fault-truncated ends inside the tool arguments', async () => {
    const { result } = run('fault-truncated', { tools: { getWeather } });
    const parts = await Array.fromAsync(result.stream);
    const inputs = parts.flatMap((part) => (part.type === 'tool-input-delta' ? [part.delta] : []));
    expect(inputs.join('')).toBe('{"city":');
    expect(parts.map((part) => part.type)).not.toContain('tool-result');
  });

  test('slow keeps 200 ms between pieces, and notices that the client has disconnected', async () => {
    const controller = new AbortController();
    const { result } = run('slow', { signal: controller.signal });
    const began = performance.now();
    let pieces = 0;
    for await (const _ of result.textStream) {
      pieces += 1;
      if (pieces === 2) controller.abort();
    }
    expect(pieces).toBe(2);
    expect(performance.now() - began).toBeGreaterThan(380);
    await expect.poll(() => server.requests[0]?.aborted).toBe(true);
  });
});

describe('as a browser sees it', () => {
  const url = (path: string) => `${server.baseURL}${path}`;
  const post = (model: string) =>
    fetch(url('/chat/completions'), {
      method: 'POST',
      body: JSON.stringify({ model, stream: true, messages: [{ role: 'user', content: 'Hi' }] }),
    });

  test('a preflight allows the headers it asks for', async () => {
    const response = await fetch(url('/chat/completions'), {
      method: 'OPTIONS',
      headers: { origin: 'null', 'access-control-request-headers': 'authorization,content-type' },
    });
    expect(response.status).toBe(204);
    expect(response.headers.get('access-control-allow-origin')).toBe('*');
    expect(response.headers.get('access-control-allow-headers')).toBe('authorization,content-type');
  });

  test('answers and refusals carry CORS headers; fault-cors does not', async () => {
    const origins = await Promise.all(
      ['test-model', 'fault-401', 'fault-cors'].map(async (model) => {
        const response = await post(model);
        await response.text();
        return response.headers.get('access-control-allow-origin');
      }),
    );
    expect(origins).toEqual(['*', '*', null]);
  });

  test('lists its models', async () => {
    const body = await (await fetch(url('/models'))).json();
    expect(body).toMatchObject({ object: 'list' });
    expect(body.data.map(({ id }: { id: string }) => id)).toEqual(['test-model', ...Object.keys(faults)]);
  });

  test('explains what is wrong with a request that it does not understand', async () => {
    const unknown = await fetch(url('/embeddings'), { method: 'POST' });
    expect([unknown.status, await unknown.text()]).toEqual([
      404,
      expect.stringContaining('Unknown request: POST /v1/embeddings'),
    ]);
    const unstreamed = await fetch(url('/responses'), { method: 'POST', body: '{"model":"m"}' });
    expect([unstreamed.status, await unstreamed.text()]).toEqual([
      400,
      expect.stringContaining('only streams'),
    ]);
  });
});
