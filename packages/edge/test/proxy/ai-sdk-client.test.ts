import { createRun, definePrompt, inProcess } from '@cueline/core';
import { proxied, resolveModel } from '@cueline/core/models';
import { stepCountIs, streamText, tool } from 'ai';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { callTool, talk } from '../runtimes/provider.ts';
import { stream } from '../runtimes/send-request.ts';
import { base, chatStream, chatUsage, createModelProxy, events, fixture, key, origin } from './support.ts';
import { serveBoth } from './upstream.ts';

const ada = { authorization: 'Bearer ada' };

describe("the AI SDK's own client", () => {
  test('streams chat', async () => {
    await using served = await serveBoth((response) => {
      const write = stream(response);
      for (const content of ['Hello ', 'Ada!']) write({ choices: [{ index: 0, delta: { content } }] });
      write({ choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] });
      write(chatUsage);
      response.end('data: [DONE]\n\n');
    });
    const settings = proxied(served.url, { headers: async () => ada });
    const { createOpenAI } = await import('@ai-sdk/openai');
    const chat = createOpenAI({
      apiKey: 'none',
      baseURL: settings.env!['OPENAI_API_BASE']!,
      fetch: settings.fetch!,
    });
    const result = streamText({ model: chat.chat('gpt-x'), prompt: 'Hi', maxRetries: 0 });
    expect(await result.text).toBe('Hello Ada!');
    expect(await result.usage).toMatchObject({ inputTokens: 5, outputTokens: 7 });
    expect(served.seen[0]).toMatchObject({
      path: '/v1/chat/completions',
      headers: { authorization: `Bearer ${key}` },
    });
    expect(served.events.at(-1)).toMatchObject({ outcome: 'done', tokens: { input: 5, output: 7 } });
  });

  test('calls a provider of another name by its address at the proxy', async () => {
    const { proxy, sent } = fixture(() => chatStream(['Hello Ada!']), {
      providers: { desk: { baseURL: 'https://desk.example/v1', apiKey: key, models: ['llama-x'] } },
    });
    const fetch = async (...given: ConstructorParameters<typeof Request>): Promise<Response> =>
      proxy(new Request(...given));
    const models = proxied(base, { headers: ada, fetch });
    const desk = { DESK_API_BASE: `${base}/desk`, DESK_API_TYPE: 'openai', DESK_API_KEY: 'none' };
    const model = await resolveModel('desk:llama-x', { ...models, env: { ...models.env, ...desk } });
    expect(await streamText({ model, prompt: 'Hi' }).text).toBe('Hello Ada!');
    expect(sent).toMatchObject([{ url: 'https://desk.example/v1/chat/completions' }]);
  });

  test('streams two responses with a tool call between them, and nothing is stored at the provider', async () => {
    await using served = await serveBoth((response, { body }) => {
      if (!JSON.stringify(body['input']).includes('function_call_output'))
        return callTool(response, 'add', { a: 1, b: 2 });
      const { say, end } = talk(response);
      say('It is 3.');
      end();
    });
    const model = await resolveModel('openai:gpt-x', proxied(served.url, { headers: ada }));
    const result = streamText({
      model,
      prompt: 'Add 1 and 2.',
      maxRetries: 0,
      stopWhen: stepCountIs(3),
      tools: {
        add: tool({
          inputSchema: z.object({ a: z.number(), b: z.number() }),
          execute: ({ a, b }) => a + b,
        }),
      },
    });
    expect(await result.text).toBe('It is 3.');
    expect(served.seen.map(({ path, body }) => [path, body['store']])).toEqual([
      ['/v1/responses', false],
      ['/v1/responses', false],
    ]);
    expect(served.seen[1]!.body['input']).toMatchObject([
      { role: 'user' },
      { type: 'function_call', call_id: 'call_1' },
      { type: 'function_call_output', call_id: 'call_1', output: '3' },
    ]);
  });

  test('reports refusals of the proxy and interrupted streams as errors', async () => {
    await using served = await serveBoth((response) => {
      stream(response)({ type: 'response.created', response: { id: 'r1', created_at: 1, model: 'gpt-x' } });
      setTimeout(() => response.destroy(), 20);
    });
    const errors: unknown[] = [];
    const onError = ({ error }: { error: unknown }): void => void errors.push(error);
    const broken = await resolveModel('openai:gpt-x', proxied(served.url, { headers: ada }));
    await streamText({ model: broken, prompt: 'Hi', maxRetries: 0, onError }).consumeStream();
    const denied = await resolveModel('openai:gpt-z', proxied(served.url, { headers: ada }));
    await streamText({ model: denied, prompt: 'Hi', maxRetries: 0, onError }).consumeStream();
    const stranger = await resolveModel('openai:gpt-x', proxied(served.url));
    await streamText({ model: stranger, prompt: 'Hi', maxRetries: 0, onError }).consumeStream();
    const told = JSON.stringify(errors.map((error) => [(error as Error).message, error]));
    expect(errors[0]).toMatchObject({
      cause: {
        code: 'stream_truncated',
        message: 'The model stopped in the middle of its answer. Try again.',
      },
    });
    expect(errors.slice(-2)).toMatchObject([
      { statusCode: 403, message: expect.stringContaining('This server does not offer this model.') },
      { statusCode: 401, message: expect.stringContaining('Authentication required.') },
    ]);
    expect(told).not.toContain(key);
  });
});

describe('a provider whose package speaks Chat Completions', () => {
  test.each([
    ['groq', 'https://api.groq.com/openai/v1', 'GROQ_API_KEY'],
    ['deepseek', 'https://api.deepseek.com', 'DEEPSEEK_API_KEY'],
    ['togetherai', 'https://api.together.xyz/v1', 'TOGETHER_API_KEY'],
    ['fireworks', 'https://api.fireworks.ai/inference/v1', 'FIREWORKS_API_KEY'],
  ])('%s is called through the proxy with a tool by its name alone', async (provider, url, variable) => {
    const asked: { url: string; authorization: string | undefined; body: Record<string, unknown> }[] = [];
    const proxy = createModelProxy({
      providers: { [provider]: { models: ['lab/model-x'] } },
      origins: [origin],
      auth: async () => ({ subject: 'ada' }),
      fetch: async (input, init) => {
        const { authorization } = init!.headers as Record<string, string>;
        asked.push({
          url: input as string,
          authorization,
          body: JSON.parse(init?.body as string) as Record<string, unknown>,
        });
        const chunk = (choice: object, more: object = {}): object => ({
          id: 'c',
          object: 'chat.completion.chunk',
          created: 1,
          model: 'm',
          choices: [{ index: 0, ...choice }],
          ...more,
        });
        const call = { index: 0, id: 'c1', type: 'function', function: { name: 'look', arguments: '{}' } };
        const delta = asked.length === 1 ? { tool_calls: [call] } : { content: 'Seen.' };
        const end = asked.length === 1 ? 'tool_calls' : 'stop';
        const { usage } = chatUsage;
        return events([
          chunk({ delta: { role: 'assistant', ...delta } }),
          chunk({ delta: {}, finish_reason: end }, { usage, x_groq: { usage } }),
          '[DONE]',
        ]);
      },
    });
    const settings = proxied(base, {
      headers: { origin },
      fetch: (input, init) => proxy(new Request(input, init), { [variable]: key }),
    });
    const result = streamText({
      model: await resolveModel(`${provider}:lab/model-x`, settings),
      prompt: 'Hi',
      maxRetries: 0,
      stopWhen: stepCountIs(3),
      tools: { look: tool({ inputSchema: z.object({}), execute: () => 'seen' }) },
    });
    expect(await result.text).toBe('Seen.');
    expect(await result.usage).toMatchObject({ inputTokens: 10, outputTokens: 14 });
    expect(asked.map((each) => [each.url, each.authorization])).toEqual(
      Array.from({ length: 2 }, () => [`${url}/chat/completions`, `Bearer ${key}`]),
    );
    expect(asked[1]!.body['messages']).toHaveLength(3);
  });
});

describe('faults as every package reads them', () => {
  const ids: Record<string, string> = {
    openai: 'gpt-x',
    anthropic: 'claude-x',
    google: 'gemini-x',
    mistral: 'mistral-x',
    groq: 'lab/model-x',
    deepseek: 'deepseek-x',
    togetherai: 'lab/model-x',
    fireworks: 'lab/model-x',
  };

  /** What a run with a model of this provider ends with, and how often the provider was asked. */
  async function fail(
    provider: string,
    respond: () => Response,
    more: Partial<Parameters<typeof createModelProxy>[0]> = {},
  ): Promise<{ asked: number; error: unknown }> {
    let asked = 0;
    const proxy = createModelProxy({
      providers: { [provider]: { models: [ids[provider]!], apiKey: 'sk-0123456789abcdef' } },
      origins: [origin],
      auth: async () => ({ subject: 'ada' }),
      fetch: async () => {
        asked += 1;
        return respond();
      },
      ...more,
    });
    const models = proxied(base, {
      headers: { origin },
      fetch: (input, init) => proxy(new Request(input, init)),
    });
    const run = createRun(
      definePrompt('hello', (prompt) => prompt.$`Hello.`),
      { model: `${provider}:${ids[provider]!}`, executor: inProcess(models) },
    );
    await run.start().catch(() => {});
    return { asked, error: run.getState().error };
  }

  const begun = (fault: (controller: ReadableStreamDefaultController<Uint8Array>) => void): Response => {
    let pulls = 0;
    const body = new ReadableStream<Uint8Array>({
      pull(controller) {
        pulls += 1;
        if (pulls === 1) controller.enqueue(new TextEncoder().encode(': hello\n\n'));
        else fault(controller);
      },
    });
    return new Response(body, { headers: { 'content-type': 'text/event-stream' } });
  };

  test.each(Object.keys(ids))(
    '%s: each fault has its own code, and no message contains a key',
    async (provider) => {
      const seen = [
        await fail(provider, () => Response.json({ error: { message: 'Bad key.' } }, { status: 401 })),
        await fail(provider, () => Response.json({ error: { message: 'Pay.' } }, { status: 402 })),
        await fail(provider, () => Response.redirect('https://elsewhere.example/', 307)),
        await fail(provider, () => new Response('<html>', { headers: { 'content-type': 'text/html' } })),
        await fail(provider, () => begun((controller) => controller.enqueue(new Uint8Array(3_000))), {
          limits: { eventBytes: 1_000 },
        }),
        await fail(provider, () => begun(() => {}), { timeouts: { idleMs: 30 } }),
        await fail(provider, () => Response.json({}), { auth: async () => null }),
      ];
      expect(seen).toMatchObject([
        { asked: 1, error: { code: 'auth', details: { proxyCode: 'upstream_auth' } } },
        { asked: 1, error: { code: 'budget_exceeded', details: { proxyCode: 'upstream_unpaid' } } },
        { asked: 1, error: { code: 'redirect_blocked', details: { proxyCode: 'upstream_redirect' } } },
        { asked: 1, error: { code: 'stream_malformed', details: { proxyCode: 'upstream_content_type' } } },
        { asked: 1, error: { code: 'too_large', details: { proxyCode: 'event_too_large' } } },
        { asked: 1, error: { code: 'timeout', details: { proxyCode: 'idle', phase: 'chunk' } } },
        { asked: 0, error: { code: 'auth', details: { proxyCode: 'unauthorized' } } },
      ]);
      expect(JSON.stringify(seen)).not.toContain('sk-0123');
    },
  );

  test('no message gives the same advice twice', async () => {
    const json = { 'content-type': 'application/json' };
    const silent = (): Response => new Response(new ReadableStream({}), { headers: json });
    const page = (): Response => new Response('<html>', { headers: { 'content-type': 'text/html' } });
    const errors = [
      await fail('openai', page, { limits: { dailyTokens: 1_000 } }),
      await fail('openai', page, { limits: { totalDailyTokens: 1_000 } }),
      await fail('openai', page),
      await fail('openai', silent, { timeouts: { idleMs: 30 } }),
    ].map(({ error }) => error);
    expect(errors).toMatchObject([
      { message: expect.stringMatching(/ more than the 1000 of a day\. Ask for a shorter answer\.$/) },
      {
        message:
          'This call could use more than this server may use in a whole day. Ask for a shorter answer.',
      },
      { message: expect.stringMatching(/JSON\. Ask the operator of this server to check its address\.$/) },
      { message: 'The provider stopped sending in the middle of its answer. Try again.' },
    ]);
  });

  // at the same time, because each waits before its next attempt
  test.concurrent.each(Object.keys(ids))(
    '%s: an answer that is cut off before its first text is retried',
    async (provider) => {
      const { asked, error } = await fail(provider, () =>
        begun((controller) => controller.error(new TypeError('terminated'))),
      );
      expect({ asked, error }).toMatchObject({
        asked: 3,
        error: { code: 'stream_truncated', details: { proxyCode: 'broken' } },
      });
    },
    20_000,
  );
});
