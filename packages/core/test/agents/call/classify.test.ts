import { createOpenAI } from '@ai-sdk/openai';
import { runPrompt } from '@cueline/core';
import { classify, classifyBinary, defineAgent } from '@cueline/core/agents';
import { scriptedModel } from '@cueline/core/testing';
import { MockLanguageModelV4, simulateReadableStream } from 'ai/test';
import { describe, expect, test, vi } from 'vitest';
import * as z from 'zod';
import { startServer } from '../../models/chat-server.ts';
import { go } from '../../support.ts';
import { faultOf, lines, talks } from './calls.ts';

const moods = ['positive', 'negative', 'neutral'] as const;

describe('a label', () => {
  test('is one of the given labels', async () => {
    const model = scriptedModel([' Positive. ']);
    expect(await classify('I love it!', moods, { model })).toEqual({ label: 'positive', source: 'label' });
    expect(lines(model.calls[0]!.prompt)).toEqual([
      'system: Answer with one of these words and nothing else: positive, negative, neutral',
      'user: I love it!',
    ]);
  });

  test('is requested again with the correction text of a classifier', async () => {
    const model = scriptedModel(['It is positive.', '', 'positive']);
    const { label } = await classify('I love it!', moods, { model, instructions: 'Judge the mood.' });
    expect(label).toBe('positive');
    expect(lines(model.calls[2]!.prompt)).toEqual([
      'system: Judge the mood.\n\nAnswer with one of these words and nothing else: positive, negative, neutral',
      'user: I love it!',
      'assistant: It is positive.',
      'user: Please respond with one and only one word from [positive, negative, neutral]',
      'user: Please respond with one and only one word from [positive, negative, neutral]',
    ]);
  });

  test('that never comes is reported as any invalid answer is', async () => {
    const model = scriptedModel(['good', 'very good']);
    const error = await faultOf(classify('I love it!', moods, { model, maxExceptionRetries: 1 }));
    expect(error).toMatchObject({
      code: 'parse_failed',
      message:
        'Agent "classify" gave no valid answer in 2 attempts. Try another model, or ask for a simpler answer. The problem with the last answer: \'very good\' is not one of: positive, negative, neutral.',
      details: { attempts: 2 },
    });
  });

  test.each<[readonly unknown[], string]>([
    [['one'], 'at least two labels'],
    [['one', ''], 'at least two labels'],
    [['one', 2], 'at least two labels'],
    [['Yes.', 'yes'], 'Two labels are read as "yes"'],
  ])('cannot be one of %j', async (labels, why) => {
    const error = await faultOf(classify('x', labels as string[], { model: scriptedModel([]) }));
    expect([error.code, error.message.includes(why)]).toEqual(['invalid_options', true]);
  });
});

describe('probabilities', () => {
  test('are the shares of several answers if the provider reports none', async () => {
    const model = scriptedModel(['negative', 'positive', 'positive', 'neutral', 'positive']);
    expect(await classify('Well …', moods, { model, samples: 5 })).toEqual({
      label: 'positive',
      probabilities: { positive: 0.6, negative: 0.2, neutral: 0.2 },
      source: 'samples',
    });
    expect(model.calls).toHaveLength(5);
    const error = await faultOf(classify('x', moods, { model, samples: 0 }));
    expect(error.message).toBe('samples is 0. Give a whole number of at least 1.');
  });

  test('fail as a whole if one of the answers fails, and the other calls are stopped', async () => {
    const model = scriptedModel([
      'positive',
      [{ delay: 60_000 }, 'positive'],
      [{ throw: { message: 'no', status: 401 } }],
    ]);
    const error = await faultOf(classify('Well …', moods, { model, samples: 3 }));
    expect(error.code).toBe('auth');
    await vi.waitUntil(() => model.calls[1]?.abortSignal?.aborted);
  });

  test('come from the tokens of Chat Completions', async () => {
    await using server = await startServer((response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      const send = (choice: object): void =>
        void response.write(
          `data: ${JSON.stringify({ id: 'c', model: 'm', choices: [{ index: 0, ...choice }] })}\n\n`,
        );
      const top = [
        { token: 'Yes', logprob: Math.log(0.7), bytes: null },
        { token: 'yes', logprob: Math.log(0.1), bytes: null },
        { token: 'No', logprob: Math.log(0.2), bytes: null },
      ];
      send({
        delta: { role: 'assistant', content: 'Yes' },
        logprobs: {
          content: [{ token: 'Yes', logprob: Math.log(0.7), bytes: null, top_logprobs: top }],
          refusal: null,
        },
      });
      send({ delta: {}, finish_reason: 'stop' });
      response.end('data: [DONE]\n\n');
    });
    const model = createOpenAI({ baseURL: server.url, apiKey: 'none' }).chat('gpt-4o');
    const { value, probability, source } = await classifyBinary('Is it?', { model, samples: 9 });
    expect([value, Math.round(probability! * 1_000), source]).toEqual([true, 800, 'logprobs']);
    expect(server.seen.map(({ body }) => [body['logprobs'], body['top_logprobs']])).toEqual([[true, 7]]);
  });

  test('come from the tokens of Responses', async () => {
    await using server = await startServer((response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      const send = (type: string, rest: object): void =>
        void response.write(`event: ${type}\ndata: ${JSON.stringify({ type, ...rest })}\n\n`);
      const item = { id: 'm1', type: 'message', role: 'assistant', status: 'completed' };
      const logprobs = [
        {
          token: 'no',
          logprob: Math.log(0.9),
          top_logprobs: [
            { token: 'no', logprob: Math.log(0.9) },
            { token: 'yes', logprob: Math.log(0.1) },
          ],
        },
      ];
      send('response.created', { response: { id: 'r1', created_at: 1, model: 'm' } });
      send('response.output_item.added', { output_index: 0, item: { ...item, content: [] } });
      send('response.output_text.delta', {
        item_id: 'm1',
        output_index: 0,
        content_index: 0,
        delta: 'no',
        logprobs,
      });
      send('response.output_item.done', {
        output_index: 0,
        item: { ...item, content: [{ type: 'output_text', text: 'no', annotations: [], logprobs }] },
      });
      send('response.completed', {
        response: { incomplete_details: null, usage: { input_tokens: 1, output_tokens: 1 } },
      });
      response.end();
    });
    const model = createOpenAI({ baseURL: server.url, apiKey: 'none' }).responses('gpt-4o');
    const { value, probability, source } = await classifyBinary('Is it?', { model });
    expect([value, Math.round(probability! * 1_000), source]).toEqual([false, 100, 'logprobs']);
    expect(server.seen[0]?.body).toMatchObject({
      top_logprobs: 7,
      include: ['message.output_text.logprobs'],
    });
  });

  test('are not requested again if the model refuses to report them', async () => {
    const refusal = {
      status: 400,
      message: "Unsupported parameter: 'top_logprobs' is not supported with this model.",
    };
    const model = scriptedModel([[{ throw: refusal }], 'good', 'bad', 'good']);
    expect(await classify('Fine!', ['good', 'bad'], { model, samples: 3 })).toMatchObject({
      label: 'good',
      source: 'samples',
    });
    expect(model.calls.map(({ providerOptions }) => providerOptions?.['openai'])).toEqual([
      { logprobs: 7 },
      undefined,
      undefined,
      undefined,
    ]);

    const asked = scriptedModel([[{ throw: refusal }]]);
    const fault = await faultOf(classify('Fine!', ['good', 'bad'], { model: asked, logprobs: true }));
    expect(fault.code).toBe('bad_request');
  });

  test('are not requested if they are turned off', async () => {
    const model = scriptedModel(['no', 'no']);
    await classifyBinary('Is it?', { model });
    await classifyBinary('Is it?', { model, logprobs: false });
    expect(model.calls.map(({ providerOptions }) => providerOptions?.['openai'])).toEqual([
      { logprobs: 7 },
      undefined,
    ]);
  });

  test('belong to the valid answer, not to one that was corrected', async () => {
    const answers = [
      { text: 'Well', logprobs: [{ token: 'Well', logprob: -0.1, top_logprobs: [] }] },
      {
        text: 'yes',
        logprobs: [
          { token: 'yes', logprob: Math.log(0.5), top_logprobs: [{ token: 'no', logprob: Math.log(0.5) }] },
        ],
      },
    ];
    const model = new MockLanguageModelV4({
      doStream: async () => {
        const { text, logprobs } = answers.shift()!;
        return {
          stream: simulateReadableStream({
            chunks: [
              { type: 'text-start', id: '1' },
              { type: 'text-delta', id: '1', delta: text },
              { type: 'text-end', id: '1' },
              {
                type: 'finish',
                finishReason: { unified: 'stop', raw: 'stop' },
                usage: {
                  inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
                  outputTokens: { total: 1, text: 1, reasoning: 0 },
                },
                providerMetadata: { openai: { logprobs } },
              },
            ],
          }),
        };
      },
    });
    expect(await classifyBinary('Is it?', { model })).toEqual({
      value: true,
      probability: 0.5,
      source: 'logprobs',
    });
  });
});

describe('an agent can classify', () => {
  const critic = defineAgent({ name: 'critic', instructions: 'You judge films.' });

  test('with its headers and provider options', async () => {
    const headers = { 'x-team': 'red' };
    const providerOptions = { openai: { store: false }, other: { a: 1 } };
    const options = { headers, providerOptions, temperature: 0.7 };
    const model = scriptedModel(['positive', 'yes', 'no']);
    const agent = defineAgent({ ...talks, model, options });
    await agent.classify('I love it!', moods);
    await agent.classifyBinary('Good?', { logprobs: false });
    await classifyBinary('Bad?', { model, options: { headers, providerOptions } });
    const openai = { store: false, logprobs: expect.any(Number) as number };
    expect(model.calls.map((call) => call.providerOptions)).toEqual([
      { openai, other: { a: 1 } },
      providerOptions,
      { openai, other: { a: 1 } },
    ]);
    for (const call of model.calls) {
      expect(call.headers).toMatchObject(headers);
      expect(call.temperature).toBeUndefined();
    }
  });

  test('with its own instructions', async () => {
    const model = scriptedModel(['negative', 'yes']);
    expect(await critic.classify('Dull.', moods, { model })).toEqual({ label: 'negative', source: 'label' });
    expect(await critic.classifyBinary('Is it long?', { model })).toEqual({ value: true, source: 'label' });
    expect(lines(model.calls[1]!.prompt)[0]).toBe(
      'system: You judge films.\n\nAnswer with one of these words and nothing else: yes, no',
    );
  });

  test('inside a tool, as part of the run of the tool', async () => {
    const model = scriptedModel([[{ toolCall: { name: 'judge', id: 'j' } }], 'yes', 'It is.']);
    const { run } = await runPrompt(
      go((prompt) =>
        prompt.defTool('judge', 'Judge', z.object({}), async (_, context) => {
          const { value } = await classifyBinary('Is it good?', { context });
          return value;
        }),
      ),
      { model },
    );
    expect(await run.finished).toMatchObject({
      text: 'It is.',
      toolCalls: [{ output: true }],
      agents: [{ name: 'classify', path: 'j', output: 'yes' }],
    });
  });
});
