// The prompt language, section by section: each example as it is promised, and what the model is sent for it.
import { runPrompt, tool, type PromptConfig, type PromptSource, type RunEvent } from '@cueline/core';
import { scriptedModel, type ScriptedTurn } from '@cueline/core/testing';
import { isStepCount } from 'ai';
import { describe, expect, test, vi } from 'vitest';
import * as z from 'zod';
import { startServer, chat } from '../models/chat-server.ts';
import { sent } from '../sent.ts';
import { types } from '../support.ts';

/** A run on a model that is named as examples name theirs, with everything that the model was sent. */
async function play(
  source: PromptSource,
  turns: readonly ScriptedTurn[],
  config: Omit<PromptConfig, 'providers'> = {},
) {
  const model = scriptedModel(turns);
  const played = await runPrompt(source, {
    model: 'openai:gpt-4o',
    ...config,
    providers: { openai: () => model },
  });
  const state = await played.run.finished;
  return { ...played, model, state, sent: sent(model), events: played.run.log() };
}

/** A call of a tool, as a script writes it. */
const call = (name: string, input: unknown = {}) => ({ toolCall: { name, input } });

/** What each tool gave, in order. */
function outputs(events: readonly RunEvent[]): unknown[] {
  return events.flatMap((event) => {
    if (event.type === 'tool-end') return [event.output];
    return event.type === 'tool-error' ? [{ error: event.error }] : [];
  });
}

describe('runPrompt', () => {
  test('takes a function and a configuration, and gives a result and the prompt', async () => {
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
    expect(sent(model)).toMatchInlineSnapshot(`
      [
        {
          "messages": [
            "user: Help <USER_NAME> with their question about weather.",
          ],
          "system": "Variables are given as <NAME>value</NAME>. Where a message says <NAME>, it means that value.

      <USER_NAME>John Doe</USER_NAME>
      <USER_DATA>
      age: 30
      city: NYC
      </USER_DATA>",
          "tools": [
            "getWeather",
            "researcher",
          ],
        },
        {
          "messages": [
            "user: Help <USER_NAME> with their question about weather.",
            "assistant calls getWeather {"city":"Lisbon"}",
            "getWeather answers Weather in Lisbon: Sunny, 72°F",
          ],
          "system": "Variables are given as <NAME>value</NAME>. Where a message says <NAME>, it means that value.

      <USER_NAME>John Doe</USER_NAME>
      <USER_DATA>
      age: 30
      city: NYC
      </USER_DATA>",
          "tools": [
            "getWeather",
            "researcher",
          ],
        },
      ]
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
    expect(parts).toMatchInlineSnapshot(`
      [
        "start",
        "start-step",
        "tool-input-start",
        "tool-input-delta",
        "tool-input-end",
        "tool-call",
        "tool-result",
        "finish-step",
        "start-step",
        "text-start",
        "text-delta",
        "text-end",
        "finish-step",
        "finish",
      ]
    `);
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
  test('settings reach the model', async () => {
    const { model } = await play((prompt) => prompt.$`Hi.`, ['Hello.'], {
      options: {
        maxOutputTokens: 500,
        temperature: 0.2,
        topP: 0.9,
        topK: 40,
        presencePenalty: 0.1,
        frequencyPenalty: 0.3,
        stopSequences: ['END'],
        seed: 42,
        headers: { 'x-team': 'weather' },
        toolChoice: 'none',
        tools: { ready: { inputSchema: z.object({}), execute: () => 'ok' } },
      },
    });
    expect(model.calls[0]).toMatchObject({
      maxOutputTokens: 500,
      temperature: 0.2,
      topP: 0.9,
      topK: 40,
      presencePenalty: 0.1,
      frequencyPenalty: 0.3,
      stopSequences: ['END'],
      seed: 42,
      headers: { 'x-team': 'weather' },
      toolChoice: { type: 'none' },
    });
  });

  test('system is joined to what def, defData and defSystem say', async () => {
    const { sent } = await play(
      (prompt) => {
        prompt.defSystem('role', 'You are a helpful assistant.');
        prompt.def('USER_NAME', 'John Doe');
        prompt.$`Hi.`;
      },
      ['Hello.'],
      { options: { system: 'Answer in French.' } },
    );
    expect(sent[0]!.system)
      .toBe(`Variables are given as <NAME>value</NAME>. Where a message says <NAME>, it means that value.

<USER_NAME>John Doe</USER_NAME>

role:
You are a helpful assistant.

Answer in French.`);
  });

  test('maxRetries is 2 where nothing else is said', async () => {
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
    await vi.waitFor(() => expect(aborted).toEqual(['enough']));
  });

  test('stopWhen ends it after some step', async () => {
    const { state, sent } = await play(
      (prompt) => {
        prompt.defTool('next', '', z.object({ n: z.number() }), ({ n }) => n + 1);
        prompt.$`Count.`;
      },
      [[call('next', { n: 1 })], [call('next', { n: 2 })], 'Never.'],
      { options: { stopWhen: isStepCount(2) } },
    );
    expect(state.status).toBe('done');
    expect(sent.map(({ messages }) => messages)).toEqual([
      ['user: Count.'],
      ['user: Count.', 'assistant calls next {"n":1}', 'next answers 2'],
    ]);
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
    await vi.waitFor(() => expect(called).toHaveLength(4));
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

  test('a provider of one’s own, from the environment', async () => {
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

  test('a variable that is missing is named', async () => {
    const start = (env: Record<string, string>) =>
      runPrompt((prompt) => prompt.$`Hi.`, { model: 'zai:glm-4.6', env });
    const base = { ZAI_API_BASE: 'https://api.z.ai/api/coding/paas/v4', ZAI_API_TYPE: 'openai' };
    await expect(start(base)).rejects.toMatchObject({
      code: 'missing_key',
      message: expect.stringContaining('ZAI_API_KEY') as string,
    });
    await expect(start({ ...base, ZAI_API_KEY: 'k', ZAI_API_BASE: '' })).rejects.toMatchObject({
      message: expect.stringContaining('ZAI_API_BASE') as string,
    });
    await expect(start({})).rejects.toMatchObject({ code: 'unknown_model' });
  });
});

describe('defMessage', () => {
  test('adds messages of the user and of the assistant', async () => {
    const { sent } = await play(
      (prompt) => {
        prompt.defMessage('user', 'Hello!');
        prompt.defMessage('assistant', 'Hi there! How can I help?');
        prompt.defMessage('user', 'Tell me a joke.');
      },
      ['Knock, knock.'],
    );
    expect(sent).toEqual([
      {
        messages: ['user: Hello!', 'assistant: Hi there! How can I help?', 'user: Tell me a joke.'],
        tools: [],
      },
    ]);
  });

  test('a system message is refused, with what to type', async () => {
    await expect(
      play((prompt) => prompt.defMessage('system' as 'user', 'Be nice.'), []),
    ).rejects.toMatchObject({
      code: 'invalid_definition',
      message: expect.stringContaining('prompt.defSystem') as string,
    });
  });
});

test('defSystem joins its parts with labels', async () => {
  const { sent } = await play(
    (prompt) => {
      prompt.defSystem('role', 'You are a helpful assistant.');
      prompt.defSystem('guidelines', 'Always be polite and professional.');
      prompt.$`Hi.`;
    },
    ['Hello.'],
  );
  expect(sent[0]!.system).toBe(
    'role:\nYou are a helpful assistant.\nguidelines:\nAlways be polite and professional.',
  );
});

test('def introduces a variable, and returns what stands for it', async () => {
  const { sent } = await play(
    (prompt) => {
      const userNameRef = prompt.def('USER_NAME', 'John Doe');
      const contextRef = prompt.def('CONTEXT', 'This is a customer support conversation');

      // Use the returned reference in prompts
      prompt.$`Please help ${userNameRef} with their question. Context: ${contextRef}`;
    },
    ['Sure.'],
  );
  expect(sent).toEqual([
    {
      system: `Variables are given as <NAME>value</NAME>. Where a message says <NAME>, it means that value.

<USER_NAME>John Doe</USER_NAME>
<CONTEXT>This is a customer support conversation</CONTEXT>`,
      messages: ['user: Please help <USER_NAME> with their question. Context: <CONTEXT>'],
      tools: [],
    },
  ]);
});

test('defData introduces data as YAML', async () => {
  const { sent } = await play(
    (prompt) => {
      const userData = prompt.defData('USER_DATA', {
        name: 'John Doe',
        age: 30,
        preferences: ['coding', 'reading'],
      });

      prompt.$`Analyze the following user data: ${userData}`;
    },
    ['Done.'],
  );
  expect(sent).toEqual([
    {
      system: `Variables are given as <NAME>value</NAME>. Where a message says <NAME>, it means that value.

<USER_DATA>
name: John Doe
age: 30
preferences:
  - coding
  - reading
</USER_DATA>`,
      messages: ['user: Analyze the following user data: <USER_DATA>'],
      tools: [],
    },
  ]);
});

describe('defTool', () => {
  test('registers a function with its schema', async () => {
    const performSearch = (query: string) => Promise.resolve([`${query}: first`, `${query}: second`]);
    const { model, sent, events } = await play(
      (prompt) => {
        prompt.defTool('search', 'Search for information', z.object({ query: z.string() }), async (args) => {
          return await performSearch(args.query);
        });
        prompt.$`Search.`;
      },
      [[call('search', { query: 'tides' })], 'Found two.'],
    );
    expect(model.calls[0]!.tools).toEqual([
      {
        type: 'function',
        name: 'search',
        description: 'Search for information',
        inputSchema: {
          $schema: 'http://json-schema.org/draft-07/schema#',
          type: 'object',
          properties: { query: { type: 'string' } },
          required: ['query'],
          additionalProperties: false,
        },
      },
    ]);
    expect(sent[1]!.messages).toEqual([
      'user: Search.',
      'assistant calls search {"query":"tides"}',
      'search answers ["tides: first","tides: second"]',
    ]);
    expect(types(events)).toEqual([
      'run-start',
      'step-start',
      'tool-input-start',
      'tool-input-delta',
      'tool-input-end',
      'tool-start',
      'tool-end',
      'step-end',
      'step-start',
      'text-start',
      'text-delta',
      'text-end',
      'step-end',
      'run-end',
    ]);
  });

  test('arguments that the schema refuses never reach the function', async () => {
    const called: unknown[] = [];
    const { sent } = await play(
      (prompt) => {
        prompt.defTool('search', '', z.object({ query: z.string() }), (args) => void called.push(args));
        prompt.$`Search.`;
      },
      [[call('search', { query: 7 })], 'Sorry.'],
    );
    expect(called).toEqual([]);
    expect(sent[1]!.messages[2]).toMatch(/Invalid input for tool search: .*expected string/s);
  });

  test('the function gets toolCallId, messages and abortSignal', async () => {
    const seen: unknown[] = [];
    const performTask = (data: string, abortSignal: AbortSignal | undefined) =>
      Promise.resolve(`${data}, ${abortSignal?.aborted === true ? 'aborted' : 'not aborted'}`);
    const { state } = await play(
      (prompt) => {
        prompt.defTool(
          'longRunningTask',
          'Performs a task that can be cancelled',
          z.object({ data: z.string() }),
          async (args, { toolCallId, messages, abortSignal }) => {
            seen.push({ toolCallId, messages });
            // Use abortSignal to check if operation should be cancelled
            return await performTask(args.data, abortSignal);
          },
        );
        prompt.$`Go.`;
      },
      [[{ toolCall: { id: 'call_1', name: 'longRunningTask', input: { data: 'sum' } } }], 'Done.'],
    );
    expect(seen).toEqual([{ toolCallId: 'call_1', messages: [{ role: 'user', content: 'Go.' }] }]);
    expect(state.toolCalls[0]!.output).toBe('sum, not aborted');
  });
});

/** As much of a file system as the examples need. */
function fakeFiles(): {
  writeFile(path: string, content: string): Promise<void>;
  appendFile(path: string, content: string): Promise<void>;
  readFile(path: string, encoding: 'utf-8'): Promise<string>;
} {
  const files = new Map<string, string>();
  return {
    async writeFile(path, content) {
      if (path.startsWith('/root')) throw new Error('Permission denied');
      files.set(path, content);
    },
    async appendFile(path, content) {
      files.set(path, (files.get(path) ?? '') + content);
    },
    async readFile(path) {
      return files.get(path) ?? '';
    },
  };
}

describe('composite tools', () => {
  const withFiles: PromptSource = (prompt) => {
    const fs = fakeFiles();
    prompt.defTool('file', 'File system operations', [
      tool(
        'write',
        'Write content to a file',
        z.object({
          path: z.string().describe('File path'),
          content: z.string().describe('Content to write'),
        }),
        async ({ path, content }) => {
          await fs.writeFile(path, content);
          return { success: true };
        },
      ),
      tool(
        'append',
        'Append content to a file',
        z.object({
          path: z.string().describe('File path'),
          content: z.string().describe('Content to append'),
        }),
        async ({ path, content }) => {
          await fs.appendFile(path, content);
          return { success: true };
        },
      ),
      tool(
        'read',
        'Read content from a file',
        z.object({
          path: z.string().describe('File path'),
        }),
        async ({ path }) => {
          const content = await fs.readFile(path, 'utf-8');
          return { content };
        },
      ),
    ]);
    prompt.$`Write, append, read.`;
  };
  const calls = [
    { name: 'write', args: { path: '/tmp/test.txt', content: 'Hello' } },
    { name: 'append', args: { path: '/tmp/test.txt', content: ' World' } },
    { name: 'read', args: { path: '/tmp/test.txt' } },
  ];

  test('are one tool that says what can be called in it', async () => {
    const { model } = await play(withFiles, ['Nothing to do.']);
    expect(model.calls[0]!.tools).toMatchInlineSnapshot(`
      [
        {
          "description": "File system operations

      Takes a list of calls and makes them in order. What can be called:
      - write: Write content to a file
      - append: Append content to a file
      - read: Read content from a file",
          "inputSchema": {
            "additionalProperties": false,
            "properties": {
              "calls": {
                "items": {
                  "anyOf": [
                    {
                      "additionalProperties": false,
                      "description": "Write content to a file",
                      "properties": {
                        "args": {
                          "additionalProperties": false,
                          "properties": {
                            "content": {
                              "description": "Content to write",
                              "type": "string",
                            },
                            "path": {
                              "description": "File path",
                              "type": "string",
                            },
                          },
                          "required": [
                            "path",
                            "content",
                          ],
                          "type": "object",
                        },
                        "name": {
                          "const": "write",
                          "type": "string",
                        },
                      },
                      "required": [
                        "name",
                        "args",
                      ],
                      "type": "object",
                    },
                    {
                      "additionalProperties": false,
                      "description": "Append content to a file",
                      "properties": {
                        "args": {
                          "additionalProperties": false,
                          "properties": {
                            "content": {
                              "description": "Content to append",
                              "type": "string",
                            },
                            "path": {
                              "description": "File path",
                              "type": "string",
                            },
                          },
                          "required": [
                            "path",
                            "content",
                          ],
                          "type": "object",
                        },
                        "name": {
                          "const": "append",
                          "type": "string",
                        },
                      },
                      "required": [
                        "name",
                        "args",
                      ],
                      "type": "object",
                    },
                    {
                      "additionalProperties": false,
                      "description": "Read content from a file",
                      "properties": {
                        "args": {
                          "additionalProperties": false,
                          "properties": {
                            "path": {
                              "description": "File path",
                              "type": "string",
                            },
                          },
                          "required": [
                            "path",
                          ],
                          "type": "object",
                        },
                        "name": {
                          "const": "read",
                          "type": "string",
                        },
                      },
                      "required": [
                        "name",
                        "args",
                      ],
                      "type": "object",
                    },
                  ],
                },
                "minItems": 1,
                "type": "array",
              },
            },
            "required": [
              "calls",
            ],
            "type": "object",
          },
          "name": "file",
          "type": "function",
        },
      ]
    `);
  });

  test('return value: a result for each call', async () => {
    const { events, sent, state } = await play(withFiles, [[call('file', { calls })], 'Done.']);
    expect(outputs(events)).toEqual([
      {
        results: [
          { name: 'write', result: { success: true } },
          { name: 'append', result: { success: true } },
          { name: 'read', result: { content: 'Hello World' } },
        ],
      },
    ]);
    expect(sent[1]!.messages.at(-1)).toBe(
      'file answers {"results":[{"name":"write","result":{"success":true}},{"name":"append","result":{"success":true}},{"name":"read","result":{"content":"Hello World"}}]}',
    );
    expect(types(events).slice(4, 14)).toEqual([
      'tool-input-end',
      'tool-start',
      'sub-call-start',
      'sub-call-end',
      'sub-call-start',
      'sub-call-end',
      'sub-call-start',
      'sub-call-end',
      'tool-end',
      'step-end',
    ]);
    expect(state.toolCalls[0]!.subCalls?.map(({ name, state }) => [name, state])).toEqual([
      ['write', 'output-available'],
      ['append', 'output-available'],
      ['read', 'output-available'],
    ]);
  });

  test('error handling: the calls after one that throws are made', async () => {
    const { events, state } = await play(withFiles, [
      [
        call('file', {
          calls: [
            calls[0],
            { name: 'write', args: { path: '/root/x', content: 'no' } },
            { name: 'read', args: { path: '/tmp/test.txt' } },
          ],
        }),
      ],
      'Two of three.',
    ]);
    expect(outputs(events)).toEqual([
      {
        results: [
          { name: 'write', result: { success: true } },
          { name: 'write', result: { error: 'Permission denied' } },
          { name: 'read', result: { content: 'Hello' } },
        ],
      },
    ]);
    expect(state.status).toBe('done');
  });
});

describe('defAgent', () => {
  test('a model as a string, and a system prompt of its own', async () => {
    const parent = scriptedModel([[call('researcher', { topic: 'tides' })], 'The moon does it.']);
    const child = scriptedModel(['The moon pulls the sea.']);
    const { run } = await runPrompt(
      (prompt) => {
        prompt.defSystem('role', 'Editor.');
        prompt.defAgent(
          'researcher',
          'Research a topic in depth',
          z.object({ topic: z.string() }),
          async (args, prompt) => {
            prompt.$`Research the topic: ${args.topic}`;
          },
          {
            model: 'openai:gpt-4o', // String format
            system: 'You are a research specialist.',
          },
        );
        prompt.$`What makes the tides?`;
      },
      {
        model: 'anthropic:claude-3-5-sonnet-20241022',
        providers: { openai: () => child, anthropic: () => parent },
        options: { temperature: 0.7 },
      },
    );
    const state = await run.finished;
    expect(sent(child)).toEqual([
      {
        system: 'You are a research specialist.',
        messages: ['user: Research the topic: tides'],
        tools: [],
      },
    ]);
    // the parent's settings are its own
    expect(child.calls[0]!.temperature).toBeUndefined();
    expect(sent(parent)).toEqual([
      { system: 'role:\nEditor.', messages: ['user: What makes the tides?'], tools: ['researcher'] },
      {
        system: 'role:\nEditor.',
        messages: [
          'user: What makes the tides?',
          'assistant calls researcher {"topic":"tides"}',
          'researcher answers The moon pulls the sea.',
        ],
        tools: ['researcher'],
      },
    ]);
    expect(run.log().map(({ type, agent }) => (agent === undefined ? type : `  ${agent} ${type}`)))
      .toMatchInlineSnapshot(`
        [
          "run-start",
          "step-start",
          "tool-input-start",
          "tool-input-delta",
          "tool-input-end",
          "tool-start",
          "  call-0-0 agent-start",
          "  call-0-0 step-start",
          "  call-0-0 text-start",
          "  call-0-0 text-delta",
          "  call-0-0 text-end",
          "  call-0-0 step-end",
          "  call-0-0 agent-end",
          "tool-end",
          "step-end",
          "step-start",
          "text-start",
          "text-delta",
          "text-end",
          "step-end",
          "run-end",
        ]
      `);
    expect(state.agents).toMatchObject([{ status: 'done', text: 'The moon pulls the sea.' }]);
  });

  test('a model of a provider itself', async () => {
    const child = scriptedModel(['Up.'], { provider: 'openai', modelId: 'gpt-4o' });
    const openai = (_modelId: string) => child;
    const { sent: parent } = await play(
      (prompt) => {
        prompt.defAgent(
          'analyst',
          'Analyze data with structured output',
          z.object({ data: z.string() }),
          async (args, prompt) => {
            prompt.$`Analyze: ${args.data}`;
          },
          {
            model: openai('gpt-4o'), // Direct provider
            system: 'You are a data analyst.',
          },
        );
        prompt.$`Which way?`;
      },
      [[call('analyst', { data: '1, 2, 3' })], 'Up.'],
    );
    expect(sent(child)).toEqual([
      { system: 'You are a data analyst.', messages: ['user: Analyze: 1, 2, 3'], tools: [] },
    ]);
    expect(parent[1]!.messages.at(-1)).toBe('analyst answers Up.');
  });

  test('responseSchema: the parent gets the object', async () => {
    const { sent, model, events } = await play(
      (prompt) => {
        prompt.defAgent(
          'analyst',
          'Analyze data with structured output',
          z.object({ data: z.string() }),
          async (args, prompt) => {
            prompt.$`Analyze: ${args.data}`;
          },
          { responseSchema: z.object({ trend: z.enum(['up', 'down']) }) },
        );
        prompt.$`Which way?`;
      },
      [[call('analyst', { data: '1, 2, 3' })], '{"trend":"up"}', 'Up.'],
    );
    expect(model.calls[1]!.responseFormat).toMatchObject({
      type: 'json',
      schema: { properties: { trend: { enum: ['up', 'down'] } } },
    });
    expect(outputs(events)).toEqual([{ trend: 'up' }]);
    expect(sent[2]!.messages.at(-1)).toBe('analyst answers {"trend":"up"}');
  });

  test('without a model it has its parent’s', async () => {
    const { sent } = await play(
      (prompt) => {
        prompt.defAgent('echo', '', z.object({ text: z.string() }), ({ text }, own) => own.$`Say ${text}`);
        prompt.$`Go.`;
      },
      [[call('echo', { text: 'hi' })], 'hi', 'Done.'],
    );
    expect(sent.map(({ messages }) => messages)).toEqual([
      ['user: Go.'],
      ['user: Say hi'],
      ['user: Go.', 'assistant calls echo {"text":"hi"}', 'echo answers hi'],
    ]);
  });
});

describe('defHook', () => {
  const twoTools: PromptSource = (prompt) => {
    prompt.defTool('search', '', z.object({ n: z.number() }), ({ n }) => `result ${n}`);
    prompt.defTool('write', '', z.object({}), () => 'written');
    prompt.$`Go.`;
  };

  test('is told of the step', async () => {
    const seen: unknown[] = [];
    const { model } = await play(
      async (prompt) => {
        await twoTools(prompt);
        prompt.def('TOPIC', 'tides');
        prompt.defData('FACTS', { moon: 1 });
        prompt.defHook(({ messages, model, steps, stepNumber, variables }) => {
          seen.push({ messages: messages.length, model, steps: steps.length, stepNumber, variables });
          return {};
        });
      },
      [[call('search', { n: 1 })], 'Done.'],
    );
    const variables = {
      TOPIC: { type: 'string', value: 'tides' },
      FACTS: { type: 'data', value: { moon: 1 } },
    };
    expect(seen).toEqual([
      { messages: 1, model, steps: 0, stepNumber: 0, variables },
      { messages: 3, model, steps: 1, stepNumber: 1, variables },
    ]);
  });

  test('controls which tools there are', async () => {
    const { sent } = await play(
      async (prompt) => {
        await twoTools(prompt);
        prompt.defHook(({ stepNumber }) => {
          if (stepNumber === 0) {
            return { activeTools: ['search'] }; // Only search on first step
          }
          return {};
        });
      },
      [[call('search', { n: 1 })], [call('write')], 'Done.'],
    );
    expect(sent.map(({ tools }) => tools)).toEqual([['search'], ['search', 'write'], ['search', 'write']]);
  });

  test('filters messages to a sliding window', async () => {
    const turns = Array.from({ length: 8 }, (_, n) => [call('search', { n })]);
    const { sent } = await play(
      async (prompt) => {
        await twoTools(prompt);
        prompt.defSystem('role', 'Searcher.');
        prompt.defHook(({ messages }) => {
          const systemMessages = messages.filter((m) => m.role === 'system');
          const otherMessages = messages.filter((m) => m.role !== 'system').slice(-10);
          return { messages: [...systemMessages, ...otherMessages] };
        });
      },
      [...turns, 'Done.'],
    );
    expect(sent.map(({ messages }) => messages.length)).toEqual([1, 3, 5, 7, 9, 10, 10, 10, 10]);
    expect(sent.every(({ system }) => system === 'role:\nSearcher.')).toBe(true);
    expect(sent[8]!.messages).toEqual(
      [3, 4, 5, 6, 7].flatMap((n) => [`assistant calls search {"n":${n}}`, `search answers result ${n}`]),
    );
  });

  test('gives a step a system prompt of its own', async () => {
    vi.useFakeTimers({ toFake: ['Date'], now: Date.UTC(2026, 10, 22, 12) });
    const { sent } = await play(
      async (prompt) => {
        await twoTools(prompt);
        prompt.def('TOPIC', 'tides');
        // Add dynamic system prompt based on context
        prompt.defHook(({ stepNumber }) => {
          return {
            system: `Step ${stepNumber}. Current time: ${new Date().toISOString()}`,
          };
        });
      },
      [[call('search', { n: 1 })], 'Done.'],
      { options: { system: 'Never seen.' } },
    ).finally(() => vi.useRealTimers());
    expect(sent.map(({ system }) => system)).toEqual([
      'Step 0. Current time: 2026-11-22T12:00:00.000Z',
      'Step 1. Current time: 2026-11-22T12:00:00.000Z',
    ]);
  });

  test('modifies variables, which stay so', async () => {
    const { sent, events } = await play(
      async (prompt) => {
        await twoTools(prompt);
        prompt.def('TOPIC', 'tides');
        // Modify variables during execution
        prompt.defHook(({ variables, stepNumber }) => {
          return {
            variables: {
              ...variables,
              CURRENT_STEP: { type: 'string', value: String(stepNumber) },
            },
          };
        });
      },
      [[call('search', { n: 1 })], 'Done.'],
    );
    expect(sent.map(({ system }) => system)).toEqual(
      [0, 1].map(
        (step) =>
          `Variables are given as <NAME>value</NAME>. Where a message says <NAME>, it means that value.

<TOPIC>tides</TOPIC>
<CURRENT_STEP>${step}</CURRENT_STEP>`,
      ),
    );
    expect(events.flatMap((e) => (e.type === 'variable-set' ? [[e.name, e.value]] : []))).toEqual([
      ['TOPIC', 'tides'],
      ['CURRENT_STEP', '0'],
      ['CURRENT_STEP', '1'],
    ]);
  });
});

describe('defTaskList', () => {
  const arithmetic: PromptSource = (prompt) => {
    prompt.defSystem('role', 'Calculator.');
    prompt.defTaskList([
      {
        task: 'Calculate 5 + 3',
        validation: (result) => {
          const num = parseInt(result.trim());
          if (num !== 8) {
            return `Incorrect. Expected 8, got ${result}`;
          }
        },
      },
      {
        task: 'Multiply the previous result by 2',
        extend: (prompt, messages) => {
          expect(messages.map(({ role }) => role)).toEqual(['user', 'user']);
          // Add task-specific tools
          prompt.defTool(
            'calculator',
            'Perform multiplication',
            z.object({ a: z.number(), b: z.number() }),
            async ({ a, b }) => String(a * b),
          );

          // Add task-specific context
          prompt.def('ALLOWED_OPERATIONS', 'multiplication only');

          // Add task-specific system instruction
          prompt.defSystem('instructions', 'Use the calculator tool for multiplication.');

          // All extensions are automatically removed via prepareStep when task completes
        },
        validation: (result) => {
          const num = parseInt(result.trim());
          if (num !== 16) {
            return `Incorrect. Expected 16 (8 * 2), got ${result}`;
          }
        },
      },
      {
        task: 'Subtract 6 from the previous result',
        validation: (result) => {
          const num = parseInt(result.trim());
          if (num !== 10) {
            return `Incorrect. Expected 10 (16 - 6), got ${result}`;
          }
        },
      },
    ]);

    // The LLM receives finishTask tool automatically
    prompt.$`Complete all tasks using the finishTask tool.`;
  };

  test('goes through its tasks, with feedback where a result is wrong', async () => {
    const { sent, state, events, result } = await play(arithmetic, [
      [call('startTask')],
      [call('finishTask', { result: '9' })],
      [call('finishTask', { result: '8' })],
      [call('calculator', { a: 8, b: 2 })],
      [call('finishTask', { result: '16' })],
      [call('finishTask', { result: '10' })],
      'The result is 10.',
    ]);
    expect(sent).toMatchInlineSnapshot(`
      [
        {
          "messages": [
            "user: Complete all tasks using the finishTask tool.",
            "user: [Task 1/3] Calculate 5 + 3

      Upcoming tasks:
      2. Multiply the previous result by 2
      3. Subtract 6 from the previous result",
          ],
          "system": "role:
      Calculator.",
          "tools": [
            "startTask",
            "finishTask",
          ],
        },
        {
          "messages": [
            "user: Complete all tasks using the finishTask tool.",
            "user: [Task 1/3] Calculate 5 + 3

      Upcoming tasks:
      2. Multiply the previous result by 2
      3. Subtract 6 from the previous result",
            "assistant calls startTask {}",
            "startTask answers Task 1/3 started: Calculate 5 + 3

      Call finishTask with the result when it is done.",
          ],
          "system": "role:
      Calculator.",
          "tools": [
            "startTask",
            "finishTask",
          ],
        },
        {
          "messages": [
            "user: Complete all tasks using the finishTask tool.",
            "user: [Task 1/3] Calculate 5 + 3
      Your last result was not accepted: Incorrect. Expected 8, got 9

      Upcoming tasks:
      2. Multiply the previous result by 2
      3. Subtract 6 from the previous result",
            "assistant calls startTask {}",
            "startTask answers Task 1/3 started: Calculate 5 + 3

      Call finishTask with the result when it is done.",
            "assistant calls finishTask {"result":"9"}",
            "finishTask answers Validation failed: Incorrect. Expected 8, got 9

      Please review the task and provide a corrected result.",
          ],
          "system": "role:
      Calculator.",
          "tools": [
            "startTask",
            "finishTask",
          ],
        },
        {
          "messages": [
            "user: Complete all tasks using the finishTask tool.",
            "user: Completed tasks:
      1. Calculate 5 + 3 → 8

      [Task 2/3] Multiply the previous result by 2

      Upcoming tasks:
      3. Subtract 6 from the previous result",
          ],
          "system": "Variables are given as <NAME>value</NAME>. Where a message says <NAME>, it means that value.

      <ALLOWED_OPERATIONS>multiplication only</ALLOWED_OPERATIONS>

      role:
      Calculator.
      instructions:
      Use the calculator tool for multiplication.",
          "tools": [
            "startTask",
            "finishTask",
            "calculator",
          ],
        },
        {
          "messages": [
            "user: Complete all tasks using the finishTask tool.",
            "user: Completed tasks:
      1. Calculate 5 + 3 → 8

      [Task 2/3] Multiply the previous result by 2

      Upcoming tasks:
      3. Subtract 6 from the previous result",
            "assistant calls calculator {"a":8,"b":2}",
            "calculator answers 16",
          ],
          "system": "Variables are given as <NAME>value</NAME>. Where a message says <NAME>, it means that value.

      <ALLOWED_OPERATIONS>multiplication only</ALLOWED_OPERATIONS>

      role:
      Calculator.
      instructions:
      Use the calculator tool for multiplication.",
          "tools": [
            "startTask",
            "finishTask",
            "calculator",
          ],
        },
        {
          "messages": [
            "user: Complete all tasks using the finishTask tool.",
            "user: Completed tasks:
      1. Calculate 5 + 3 → 8
      2. Multiply the previous result by 2 → 16

      [Task 3/3] Subtract 6 from the previous result",
          ],
          "system": "role:
      Calculator.",
          "tools": [
            "startTask",
            "finishTask",
          ],
        },
        {
          "messages": [
            "user: Complete all tasks using the finishTask tool.",
            "user: Completed tasks:
      1. Calculate 5 + 3 → 8
      2. Multiply the previous result by 2 → 16
      3. Subtract 6 from the previous result → 10

      All tasks are completed. Give your final answer.",
            "assistant calls finishTask {"result":"10"}",
            "finishTask answers ✓ All tasks completed successfully! The task list is complete.",
          ],
          "system": "role:
      Calculator.",
          "tools": [
            "startTask",
            "finishTask",
          ],
        },
      ]
    `);
    expect(state).toMatchObject({ status: 'done', text: 'The result is 10.' });
    expect(
      state.tasks.map(({ title, status, result, attempts }) => [title, status, result, attempts]),
    ).toEqual([
      ['Calculate 5 + 3', 'completed', '8', 1],
      ['Multiply the previous result by 2', 'completed', '16', 0],
      ['Subtract 6 from the previous result', 'completed', '10', 0],
    ]);
    expect(await result.text).toBe('The result is 10.');
    const progress = events.flatMap((event) => {
      if (event.type === 'task-update') return [`${event.taskId} ${event.status}`];
      return event.type === 'step-start' ? [`step ${event.step}`] : [];
    });
    expect(progress).toMatchInlineSnapshot(`
      [
        "step 0",
        "task-1 in_progress",
        "step 1",
        "task-1 validating",
        "task-1 in_progress",
        "step 2",
        "task-1 validating",
        "task-1 completed",
        "step 3",
        "task-2 in_progress",
        "step 4",
        "task-2 validating",
        "task-2 completed",
        "step 5",
        "task-3 in_progress",
        "task-3 validating",
        "task-3 completed",
        "step 6",
      ]
    `);
  });

  test('a task that is not finished keeps the run from ending', async () => {
    const { sent, state } = await play(arithmetic, [
      'Easy: 8, 16, 10.',
      [call('finishTask', { result: '8' })],
      [call('finishTask', { result: '16' })],
      [call('finishTask', { result: '10' })],
      'Done.',
    ]);
    expect(state).toMatchObject({ status: 'done', text: 'Done.' });
    expect(sent[1]!.messages).toMatchInlineSnapshot(`
      [
        "user: Complete all tasks using the finishTask tool.",
        "user: [Task 1/3] Calculate 5 + 3

      Upcoming tasks:
      2. Multiply the previous result by 2
      3. Subtract 6 from the previous result",
        "assistant: Easy: 8, 16, 10.",
        "user: The task list is not complete. This task is still open:
      [Task 1/3] Calculate 5 + 3
      Finish it with finishTask, and give its result.",
      ]
    `);
  });

  test('extend: the definitions of a task are there for that task alone', async () => {
    const { sent, state } = await play(
      (prompt) => {
        prompt.def('UNIT', 'metres');
        prompt.defTool('note', '', z.object({}), () => 'noted');
        prompt.defTaskList([
          {
            task: 'Measure',
            extend: (prompt) => {
              prompt.defTool('ruler', '', z.object({}), () => '7');
              prompt.def('RULER', 'steel');
              prompt.defMessage('user', 'The ruler starts at 1.');
            },
          },
          {
            task: 'Draw',
            extend: (prompt) => {
              prompt.defTool('pencil', '', z.object({}), () => 'a line');
              prompt.def('UNIT', 'inches');
              prompt.defSystem('style', 'Thin lines.');
            },
          },
        ]);
        prompt.$`Go.`;
      },
      [
        [call('startTask')],
        [call('ruler')],
        [call('finishTask', { result: '6' })],
        [call('pencil')],
        [call('finishTask', { result: 'drawn' })],
        'Done.',
      ],
    );
    expect(state.status).toBe('done');
    expect(sent.map(({ tools }) => tools)).toEqual([
      ['note', 'startTask', 'finishTask', 'ruler'],
      ['note', 'startTask', 'finishTask', 'ruler'],
      ['note', 'startTask', 'finishTask', 'ruler'],
      ['note', 'startTask', 'finishTask', 'pencil'],
      ['note', 'startTask', 'finishTask', 'pencil'],
      ['note', 'startTask', 'finishTask'],
    ]);
    expect(sent.map(({ system }) => system?.split('\n').slice(2))).toEqual([
      ['<UNIT>metres</UNIT>', '<RULER>steel</RULER>'],
      ['<UNIT>metres</UNIT>', '<RULER>steel</RULER>'],
      ['<UNIT>metres</UNIT>', '<RULER>steel</RULER>'],
      ['<UNIT>inches</UNIT>', '', 'style:', 'Thin lines.'],
      ['<UNIT>inches</UNIT>', '', 'style:', 'Thin lines.'],
      ['<UNIT>metres</UNIT>'],
    ]);
    expect(sent[1]!.messages).toMatchInlineSnapshot(`
      [
        "user: Go.",
        "user: [Task 1/2] Measure

      Upcoming tasks:
      2. Draw",
        "user: The ruler starts at 1.",
        "assistant calls startTask {}",
        "startTask answers Task 1/2 started: Measure

      Call finishTask with the result when it is done.",
      ]
    `);
    expect(sent[3]!.messages).toMatchInlineSnapshot(`
      [
        "user: Go.",
        "user: Completed tasks:
      1. Measure → 6

      [Task 2/2] Draw",
      ]
    `);
  });
});

describe('defDynamicTaskList', () => {
  const plan: PromptSource = (prompt) => {
    prompt.defDynamicTaskList();

    // Agent can now dynamically manage tasks
    prompt.$`
      Create a plan to build a user authentication system.
      Break it down into tasks and complete them one by one.
    `;
  };

  test('gives the model six tools', async () => {
    const { model } = await play(plan, ['No plan.']);
    const takes = model.calls[0]!.tools?.map((tool) =>
      tool.type === 'function' ? `${tool.name}: ${tool.inputSchema.required?.join(', ')}` : tool.name,
    );
    expect(takes).toMatchInlineSnapshot(`
      [
        "createTask: description",
        "updateTask: taskId, newDescription",
        "startTask: taskId",
        "completeTask: taskId, result",
        "getTaskList: ",
        "deleteTask: taskId",
      ]
    `);
    expect(sent(model)[0]!.messages).toEqual([
      'user: Create a plan to build a user authentication system.\nBreak it down into tasks and complete them one by one.',
    ]);
  });

  test('each tool, in the states of a task', async () => {
    const { events, state } = await play(plan, [
      [call('createTask', { description: 'Design the schema' })],
      [
        call('createTask', { description: 'Write the login' }),
        call('createTask', { description: 'Celebrate' }),
      ],
      [call('updateTask', { taskId: 'task-2', newDescription: 'Write the login form' })],
      [call('startTask', { taskId: 'task-1' })],
      [call('getTaskList')],
      [call('completeTask', { taskId: 'task-1', result: 'users(id, name)' })],
      [call('deleteTask', { taskId: 'task-3' })],
      [call('completeTask', { taskId: 'task-2', result: 'a form' })],
      [call('updateTask', { taskId: 'task-1', newDescription: 'x' })],
      'The system is built.',
    ]);
    expect(outputs(events)).toMatchInlineSnapshot(`
      [
        "Created task-1: Design the schema",
        "Created task-2: Write the login",
        "Created task-3: Celebrate",
        "Updated task-2: Write the login form",
        "task-1 started: Design the schema

      Call completeTask with the result when it is done.",
        "task-1 [in_progress] Design the schema
      task-2 [pending] Write the login form
      task-3 [pending] Celebrate",
        "✓ Task completed: task-1

      Still open: task-2, task-3.",
        "Deleted task-3: Celebrate",
        "✓ Task completed: task-2

      All tasks are completed. Give your final answer.",
        "task-1 is completed and cannot be updated. Tasks that can be updated: none.",
      ]
    `);
    expect(state.status).toBe('done');
    expect(state.tasks.map(({ id, status, result }) => [id, status, result])).toEqual([
      ['task-1', 'completed', 'users(id, name)'],
      ['task-2', 'completed', 'a form'],
    ]);
  });

  test('the messages are replaced by the list', async () => {
    const { sent } = await play(plan, [
      [call('createTask', { description: 'Design' }), call('createTask', { description: 'Build' })],
      [call('startTask', { taskId: 'task-1' })],
      [call('completeTask', { taskId: 'task-1', result: 'a drawing' })],
      [call('startTask', { taskId: 'task-2' })],
      [call('completeTask', { taskId: 'task-2', result: 'a house' })],
      'Built.',
    ]);
    expect(sent.map(({ messages }) => messages.slice(1))).toMatchInlineSnapshot(`
      [
        [],
        [
          "user: Pending tasks:
      - task-1: Design
      - task-2: Build",
          "assistant calls createTask {"description":"Design"}",
          "assistant calls createTask {"description":"Build"}",
          "createTask answers Created task-1: Design",
          "createTask answers Created task-2: Build",
        ],
        [
          "user: Current task: [task-1] Design

      Pending tasks:
      - task-2: Build",
        ],
        [
          "user: Completed tasks:
      - task-1: Design → a drawing

      Pending tasks:
      - task-2: Build",
          "assistant calls completeTask {"taskId":"task-1","result":"a drawing"}",
          "completeTask answers ✓ Task completed: task-1

      Still open: task-2.",
        ],
        [
          "user: Completed tasks:
      - task-1: Design → a drawing

      Current task: [task-2] Build",
        ],
        [
          "user: Completed tasks:
      - task-1: Design → a drawing
      - task-2: Build → a house

      All tasks are completed. Give your final answer.",
          "assistant calls completeTask {"taskId":"task-2","result":"a house"}",
          "completeTask answers ✓ Task completed: task-2

      All tasks are completed. Give your final answer.",
        ],
      ]
    `);
  });

  test('the model must complete all tasks to finish', async () => {
    const { sent, state } = await play(plan, [
      [call('createTask', { description: 'Design' })],
      'That is enough.',
      [call('completeTask', { taskId: 'task-1', result: 'a drawing' })],
      'Now it is.',
    ]);
    expect(state).toMatchObject({ status: 'done', text: 'Now it is.' });
    expect(sent[2]!.messages.at(-1)).toMatchInlineSnapshot(`
      "user: The task list is not complete. Still pending: task-1 “Design”.
      Start one with startTask and finish it with completeTask, or take it off the list with deleteTask."
    `);
  });
});

test('$ adds a user message, without the indentation of the source', async () => {
  const { sent } = await play(
    (prompt) => {
      const userName = prompt.def('USER_NAME', 'John Doe');
      const userQuestion = 'Why is the sky blue?\nAnd the sea?';
      // Adds a user message to the conversation
      const nothing: void = prompt.$`
        Please help ${userName} with their question:
        ${userQuestion}
      `;
      expect(nothing).toBeUndefined();
    },
    ['Light.'],
  );
  expect(sent[0]!.messages).toEqual([
    'user: Please help <USER_NAME> with their question:\nWhy is the sky blue?\nAnd the sea?',
  ]);
});

test('all of it together is one call of streamText', async () => {
  const { model, sent, state, result } = await play(
    (prompt) => {
      prompt.def('A', '1');
      prompt.defSystem('role', 'Helper.');
      prompt.defMessage('user', 'First.');
      prompt.defMessage('assistant', 'Second.');
      prompt.defTool('look', '', z.object({}), () => 'seen');
      prompt.defAgent('ask', '', z.object({}), (_args, own) => own.$`Well?`);
      prompt.defHook(() => ({ temperature: 0.1 }));
      prompt.defTaskList([{ task: 'Look around' }]);
      prompt.$`Third.`;
    },
    [[call('look'), call('finishTask', { result: 'seen' })], 'Done.'],
  );
  expect(await result.steps).toHaveLength(2);
  expect(model.calls.map(({ temperature }) => temperature)).toEqual([0.1, 0.1]);
  expect(state.status).toBe('done');
  expect(sent).toMatchInlineSnapshot(`
    [
      {
        "messages": [
          "user: First.",
          "assistant: Second.",
          "user: Third.",
          "user: [Task 1/1] Look around",
        ],
        "system": "Variables are given as <NAME>value</NAME>. Where a message says <NAME>, it means that value.

    <A>1</A>

    role:
    Helper.",
        "tools": [
          "look",
          "ask",
          "startTask",
          "finishTask",
        ],
      },
      {
        "messages": [
          "user: First.",
          "assistant: Second.",
          "user: Third.",
          "user: Completed tasks:
    1. Look around → seen

    All tasks are completed. Give your final answer.",
          "assistant calls look {}",
          "assistant calls finishTask {"result":"seen"}",
          "look answers seen",
          "finishTask answers ✓ All tasks completed successfully! The task list is complete.",
        ],
        "system": "Variables are given as <NAME>value</NAME>. Where a message says <NAME>, it means that value.

    <A>1</A>

    role:
    Helper.",
        "tools": [
          "look",
          "ask",
          "startTask",
          "finishTask",
        ],
      },
    ]
  `);
});
