// The prompt language: each example as it is promised, and what the model is sent for it.
import { runPrompt } from '@cueline/core';
import { scriptedModel, type ScriptedTurn } from '@cueline/core/testing';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { startServer, chat } from '../models/chat-server.ts';
import { sent, transcript } from '../sent-requests.ts';
import { call } from '../support.ts';
import { play } from './run-scripted.ts';

describe('runPrompt', () => {
  test('takes a function and a configuration, and returns a result and the prompt', async () => {
    const model = scriptedModel([
      [call('getWeather', { city: 'Lisbon' })],
      [{ text: 'It is sunny in Lisbon, John.', chunkSize: 7 }],
    ]);
    const { result, prompt } = await runPrompt(
      async (prompt) => {
        // Define variables that will be prepended to prompts
        const userName = prompt.def('USER_NAME', 'John Doe');
        const userData = prompt.defData('USER_DATA', { age: 30, city: 'NYC' });
        expect(userData).toBe('<USER_DATA>');

        // Register tools
        prompt.defTool(
          'getWeather',
          'Get weather for a city',
          z.object({ city: z.string() }),
          async ({ city }) => {
            return `Weather in ${city}: Sunny, 72°F`;
          },
        );

        // Register sub-agents
        prompt.defAgent(
          'researcher',
          'Research topics in depth',
          z.object({ topic: z.string() }),
          async (args, prompt) => {
            prompt.$`Research: ${args.topic}`;
          },
        );

        // Construct the final prompt and add as user message
        prompt.$`Help ${userName} with their question about weather.`;
      },
      {
        model: 'openai:gpt-4o', // Format: provider:model_id
        options: {
          temperature: 0.7,
          maxOutputTokens: 1000,
        },
        providers: { openai: () => model },
      },
    );

    const chunks: string[] = [];
    for await (const chunk of result.textStream) {
      chunks.push(chunk);
    }
    expect(chunks).toEqual(['It is s', 'unny in', ' Lisbon', ', John.']);
    expect(await result.text).toBe('It is sunny in Lisbon, John.');
    const usage = await result.usage;
    expect(usage.totalTokens).toBeGreaterThan(0);
    expect([...prompt.definitions.variables.keys()]).toEqual(['USER_NAME', 'USER_DATA']);
    expect(model.calls[0]).toMatchObject({ temperature: 0.7, maxOutputTokens: 1000 });
    expect(transcript(sent(model))).toMatchInlineSnapshot(`
      "--- call 1
      system: Variables are given as <NAME>value</NAME>. Where a message says <NAME>, it means that value.

      <USER_NAME>John Doe</USER_NAME>
      <USER_DATA>
      age: 30
      city: NYC
      </USER_DATA>
      tools: getWeather, researcher
      user: Help <USER_NAME> with their question about weather.
      --- call 2
      1 message as before
      assistant calls getWeather {"city":"Lisbon"}
      getWeather answers Weather in Lisbon: Sunny, 72°F"
    `);
  });

  test('the result is that of streamText', async () => {
    const { result } = await play(
      (prompt) => {
        prompt.defTool('add', 'Adds', z.object({ a: z.number(), b: z.number() }), ({ a, b }) => a + b);
        prompt.$`2 + 3?`;
      },
      [[call('add', { a: 2, b: 3 })], 'Five.'],
    );
    const parts: string[] = [];
    for await (const part of result.fullStream) parts.push(part.type);
    expect(parts.join(' ')).toMatchInlineSnapshot(
      `"start start-step tool-input-start tool-input-delta tool-input-end tool-call tool-result finish-step start-step text-start text-delta text-end finish-step finish"`,
    );
    expect(await result.text).toBe('Five.');
    expect((await result.usage).inputTokens).toBeGreaterThan(0);
    expect((await result.toolCalls).map(({ toolName, input }) => [toolName, input])).toEqual([
      ['add', { a: 2, b: 3 }],
    ]);
    expect((await result.toolResults).map(({ output }) => output)).toEqual([5]);
    expect(await result.finishReason).toBe('stop');
    expect(await result.steps).toHaveLength(2);
    expect((await result.response).modelId).toBe('scripted');
  });
});

describe('options', () => {
  test('maxRetries is 2 by default', async () => {
    const busy: ScriptedTurn = [
      { throw: { message: 'busy', status: 503, headers: { 'retry-after-ms': '1' } } },
    ];
    const patient = await play((prompt) => prompt.$`Hi.`, [busy, busy, 'Hello.']);
    expect(patient.state).toMatchObject({ status: 'done', text: 'Hello.' });
    const unlucky = await play((prompt) => prompt.$`Hi.`, [busy, busy, busy, 'Hello.']);
    expect(unlucky.state).toMatchObject({ status: 'error', error: { code: 'overloaded' } });
    const hasty = await play((prompt) => prompt.$`Hi.`, [busy, 'Hello.'], { options: { maxRetries: 0 } });
    expect(hasty.state).toMatchObject({ status: 'error', error: { code: 'overloaded' } });
    expect(hasty.model.calls).toHaveLength(1);
  });

  test('abortSignal ends the run', async () => {
    const controller = new AbortController();
    const aborted: unknown[] = [];
    const model = scriptedModel([[{ text: 'Hel' }, { delay: 10_000 }, { text: 'lo' }]]);
    const { run } = await runPrompt((prompt) => prompt.$`Hi.`, {
      model,
      options: { abortSignal: controller.signal, onAbort: ({ reason }) => void aborted.push(reason) },
    });
    run.listen((event) => {
      if (event.type === 'text-delta') controller.abort('enough');
    });
    expect(await run.finished).toMatchObject({ status: 'stopped', text: 'Hel' });
    await expect.poll(() => aborted).toEqual(['enough']);
  });

  test('prepareStep changes a step', async () => {
    const small = scriptedModel(['Small talk.'], { modelId: 'small' });
    const { sent: big, model } = await play(
      (prompt) => {
        prompt.defSystem('role', 'Helper.');
        prompt.defTool('look', '', z.object({}), () => 'seen');
        prompt.defTool('touch', '', z.object({}), () => 'felt');
        prompt.$`Go.`;
      },
      [[call('look')]],
      {
        options: {
          prepareStep: ({ stepNumber, messages }) =>
            stepNumber === 0
              ? { activeTools: ['look'], toolChoice: 'required' }
              : { model: small, system: 'Be brief.', messages: messages.slice(0, 1) },
        },
      },
    );
    expect(big).toEqual([{ system: 'role:\nHelper.', messages: ['user: Go.'], tools: ['look'] }]);
    expect(model.calls[0]!.toolChoice).toEqual({ type: 'required' });
    expect(sent(small)).toEqual([{ system: 'Be brief.', messages: ['user: Go.'], tools: ['look', 'touch'] }]);
  });

  test('callbacks are called', async () => {
    const called: string[] = [];
    await play(
      (prompt) => {
        prompt.defTool('look', '', z.object({}), () => 'seen');
        prompt.$`Go.`;
      },
      [[call('look')], 'Done.'],
      {
        options: {
          onChunk: ({ chunk }) => void (chunk.type === 'text-delta' && called.push(`chunk ${chunk.text}`)),
          onStepFinish: ({ finishReason }) => void called.push(`step ${finishReason}`),
          onFinish: ({ text, steps }) => void called.push(`finish ${text} after ${steps.length}`),
          onError: () => void called.push('error'),
          onAbort: () => void called.push('abort'),
        },
      },
    );
    await expect.poll(() => called).toHaveLength(4);
    expect(called).toEqual(['step tool-calls', 'chunk Done.', 'step stop', 'finish Done. after 2']);
  });

  test('onError is called', async () => {
    const errors: unknown[] = [];
    const { state } = await play((prompt) => prompt.$`Hi.`, [['Hel', { error: new Error('overheated') }]], {
      options: { onError: ({ error }) => void errors.push((error as Error).message) },
    });
    expect(errors).toEqual(['overheated']);
    expect(state).toMatchObject({ status: 'error', error: { code: 'provider_error' } });
  });
});

describe('model providers', () => {
  test.each([
    'openai:gpt-4o',
    'openai:gpt-4-turbo',
    'anthropic:claude-3-5-sonnet-20241022',
    'google:gemini-1.5-pro',
    'mistral:mistral-large-latest',
  ])('a string: %s', async (name) => {
    const provider = name.split(':')[0]!;
    const { run } = await runPrompt((prompt) => prompt.$`Hi.`, {
      model: name,
      providers: { [provider]: (modelId) => scriptedModel(['Hello.'], { provider, modelId }) },
    });
    expect(await run.finished).toMatchObject({ status: 'done', text: 'Hello.', model: name });
  });

  test('a model of a provider itself', async () => {
    const openai = (modelId: string) => scriptedModel(['Hello.'], { provider: 'openai', modelId });
    const { run } = await runPrompt((prompt) => prompt.$`Hi.`, { model: openai('gpt-4o') });
    expect(await run.finished).toMatchObject({ status: 'done', text: 'Hello.', model: 'openai:gpt-4o' });
  });

  test('a custom provider, from the environment', async () => {
    await using server = await startServer((response) => chat(response, ['Hel', 'lo.']));
    const { run } = await runPrompt((prompt) => prompt.$`Hi.`, {
      model: 'zai:glm-4.6', // Custom provider:model_id
      env: { ZAI_API_KEY: 'your-api-key', ZAI_API_BASE: server.url, ZAI_API_TYPE: 'openai' },
    });
    expect(await run.finished).toMatchObject({ status: 'done', text: 'Hello.' });
    expect(server.seen).toMatchObject([
      {
        path: '/v1/chat/completions',
        headers: { authorization: 'Bearer your-api-key' },
        body: { model: 'glm-4.6', messages: [{ role: 'user', content: 'Hi.' }] },
      },
    ]);
  });

  test('aliases, from the environment', async () => {
    const env = {
      LM_MODEL_LARGE: 'openai:gpt-4o',
      LM_MODEL_FAST: 'openai:gpt-4o-mini',
      LM_MODEL_SMART: 'anthropic:claude-3-opus-20240229',
    };
    const named = (provider: string) => (modelId: string) => scriptedModel(['Hi.'], { provider, modelId });
    const resolved = ['large', 'fast', 'smart'].map(async (model) => {
      const { run } = await runPrompt((prompt) => prompt.$`Hi.`, {
        model,
        env,
        providers: { openai: named('openai'), anthropic: named('anthropic') },
      });
      return (await run.finished).model;
    });
    expect(await Promise.all(resolved)).toEqual(Object.values(env));
  });
});
