// Sessions, section by section: a model that works with tools until its task is complete.
import { runAgentSession } from '@cueline/core/agents';
import { scriptedModel } from '@cueline/core/testing';
import { type ModelMessage } from 'ai';
import { describe, expect, test, vi } from 'vitest';
import * as z from 'zod';
import { providersThatCall } from '../agents/session/providers.ts';
import { complete } from '../agents/session/sessions.ts';
import { calls, json } from '../support.ts';

const apiKey = 'sk-test-0123456789abcdef';

const tools = {
  search: {
    description: 'Search for information',
    inputSchema: z.object({ query: z.string() }),
    execute: async ({ query }: { query: string }) => ({ results: [`${query} 1`, `${query} 2`] }),
  },
};
const systemPrompt = 'You are a helpful assistant.';

/** A place to keep messages, as a database does. */
function createDatabase(): {
  saved: Map<string, string>;
  complete: Map<string, unknown>;
  saveMessages(id: string, messages: ModelMessage[]): Promise<void>;
  loadMessages(id: string): Promise<ModelMessage[]>;
  markComplete(id: string, info: unknown): Promise<void>;
} {
  const saved = new Map<string, string>();
  const complete = new Map<string, unknown>();
  return {
    saved,
    complete,
    saveMessages: async (id, messages) => void saved.set(id, JSON.stringify(messages)),
    loadMessages: async (id) => JSON.parse(saved.get(id) ?? '[]') as ModelMessage[],
    markComplete: async (id, info) => void complete.set(id, info),
  };
}

describe('quick start', () => {
  test('await directly', async () => {
    const { fetch, requests } = providersThatCall([
      { name: 'search', input: { query: 'cues' } },
      { name: 'task_complete', input: { summary: 'Found two results.' } },
    ]);
    const result = await runAgentSession(
      { provider: 'openai', model: 'gpt-4o', apiKey },
      { systemPrompt, tools, models: { fetch, env: {} } },
    );
    expect(result.finalOutput).toBe('Found two results.');
    expect(requests.map(({ url, headers }) => [url, headers['authorization']])).toEqual([
      ['https://api.openai.com/v1/responses', `Bearer ${apiKey}`],
      ['https://api.openai.com/v1/responses', `Bearer ${apiKey}`],
    ]);
    expect(JSON.stringify(requests[1]?.body)).toContain('cues 2');
  });

  test('the id is available immediately, and the result from the promise', async () => {
    const session = runAgentSession(scriptedModel([complete('Done.')]), { systemPrompt, tools });
    expect(session.sessionId).toMatch(/^session-\w{16}$/);
    expect(session.initialMessage).toBe('Please begin.');
    const result = await session.promise;
    expect(result).toEqual({
      sessionId: session.sessionId,
      finalOutput: 'Done.',
      summary: 'Done.',
      totalTurns: 1,
      completionReason: 'task_complete',
      messages: expect.any(Array) as unknown,
      usage: {
        inputTokens: expect.any(Number),
        outputTokens: expect.any(Number),
        totalTokens: expect.any(Number),
      },
    });
    expect(await session).toBe(result);
  });
});

describe('providers', () => {
  test('Ollama: no key, on this machine, or where baseURL says', async () => {
    for (const [baseURL, url] of [
      [undefined, 'http://127.0.0.1:11434/v1/chat/completions'],
      ['http://gpu.lan:11434', 'http://gpu.lan:11434/v1/chat/completions'],
      ['http://gpu.lan:11434/v1/', 'http://gpu.lan:11434/v1/chat/completions'],
      ['http://gpu.lan:11434/api', 'http://gpu.lan:11434/v1/chat/completions'],
    ]) {
      const { fetch, requests } = providersThatCall([{ name: 'task_complete', input: { summary: 'Done.' } }]);
      const result = await runAgentSession(
        { provider: 'ollama', model: 'qwen2.5:7b', baseURL },
        { systemPrompt, tools, models: { fetch, env: {} } },
      );
      expect(result).toMatchObject({ completionReason: 'task_complete', finalOutput: 'Done.' });
      expect(requests[0]).toMatchObject({ url, body: { model: 'qwen2.5:7b' } });
    }
  });

  test('Anthropic', async () => {
    const { fetch, requests } = providersThatCall([{ name: 'task_complete', input: { summary: 'Done.' } }]);
    const result = await runAgentSession(
      { provider: 'anthropic', model: 'claude-sonnet-4-5', apiKey },
      { systemPrompt, tools, models: { fetch, env: {} } },
    );
    expect(result).toMatchObject({ completionReason: 'task_complete', finalOutput: 'Done.' });
    expect(requests[0]?.url).toBe('https://api.anthropic.com/v1/messages');
    expect(requests[0]?.headers['x-api-key']).toBe(apiKey);
  });

  test('Anthropic at another address, with its own protocol', async () => {
    for (const model of [
      { provider: 'anthropic', model: 'claude-sonnet-4-5', apiKey, baseURL: 'https://llm.example/v1' },
      { provider: 'anthropic', model: 'claude-sonnet-4-5', apiKey },
    ] as const) {
      const { fetch, requests } = providersThatCall([{ name: 'task_complete', input: { summary: 'Done.' } }]);
      const env = 'baseURL' in model ? {} : { ANTHROPIC_API_BASE: 'https://llm.example/v1' };
      const result = await runAgentSession(model, { systemPrompt, tools, models: { fetch, env } });
      expect(result).toMatchObject({ completionReason: 'task_complete', finalOutput: 'Done.' });
      expect(requests[0]?.url).toBe('https://llm.example/v1/messages');
      expect(requests[0]?.headers).toMatchObject({ 'x-api-key': apiKey });
    }
  });

  test('a key of the environment, and no key at all', async () => {
    const { fetch, requests } = providersThatCall([{ name: 'task_complete', input: { summary: 'Done.' } }]);
    const model = { provider: 'openai', model: 'gpt-4o', apiKey: undefined } as const;
    await runAgentSession(model, { systemPrompt, models: { fetch, env: { OPENAI_API_KEY: apiKey } } });
    expect(requests[0]?.headers['authorization']).toBe(`Bearer ${apiKey}`);
    const result = await runAgentSession(model, { systemPrompt, models: { fetch, env: {} } });
    expect(result).toMatchObject({
      completionReason: 'error',
      totalTurns: 0,
      error: { code: 'missing_key' },
    });
    expect(requests).toHaveLength(1);
  });
});

describe('examples', () => {
  test('with persistence', async () => {
    const db = createDatabase();
    const session = runAgentSession(scriptedModel([calls(['search', { query: 'cues' }]), complete()]), {
      sessionId: 'session-123',
      systemPrompt,
      tools,
      callbacks: {
        onMessagesUpdate: async (sessionId, messages) => {
          await db.saveMessages(sessionId, messages);
        },
        onComplete: async (sessionId, info) => {
          await db.markComplete(sessionId, info);
        },
      },
    });
    expect(session.sessionId).toBe('session-123');
    const result = await session.promise;
    expect(await db.loadMessages('session-123')).toEqual(json(result.messages));
    expect(db.complete.get('session-123')).toBe(result);
  });

  test('resume after a crash', async () => {
    const savedMessages: ModelMessage[] = [
      { role: 'user', content: 'Find out about cues.' },
      {
        role: 'assistant',
        content: [
          { type: 'tool-call', toolCallId: 'call-1', toolName: 'search', input: { query: 'cues' } },
          { type: 'tool-call', toolCallId: 'call-2', toolName: 'search', input: { query: 'lines' } },
        ],
      },
      {
        role: 'tool',
        content: [
          {
            type: 'tool-result',
            toolCallId: 'call-1',
            toolName: 'search',
            output: { type: 'text', value: 'Two.' },
          },
        ],
      },
    ];
    const model = scriptedModel([complete('Went on.')]);
    const session = runAgentSession(model, {
      sessionId: 'session-123',
      initialMessages: savedMessages,
      initialMessage: 'Only used where there are none.',
      systemPrompt,
      tools,
    });
    expect(session.initialMessage).toBe('Find out about cues.');
    expect(await session).toMatchObject({ completionReason: 'task_complete', totalTurns: 1 });
    expect(model.calls[0]?.prompt.map(({ role }) => role)).toEqual(['system', 'user', 'assistant', 'tool']);
    expect(model.calls[0]?.prompt[3]).toMatchObject({
      content: [
        { toolCallId: 'call-1', output: { type: 'text', value: 'Two.' } },
        {
          toolCallId: 'call-2',
          output: { type: 'error-text', value: expect.stringContaining('interrupted') as string },
        },
      ],
    });
  });
});

describe('messages', () => {
  test('simple messages are strings, and messages with calls have parts', async () => {
    const { messages } = await runAgentSession(
      scriptedModel(['Hi there!', calls(['search', { query: 'cues' }, 'call-1']), complete()]),
      { systemPrompt, tools, initialMessage: 'Hello!' },
    );
    expect(messages[0]).toEqual({ role: 'user', content: 'Hello!' });
    expect(messages.map(({ role }) => role)).toEqual([
      'user',
      'assistant',
      'user',
      'assistant',
      'tool',
      'assistant',
      'tool',
    ]);
    expect(json(messages[3])).toEqual({
      role: 'assistant',
      content: [{ type: 'tool-call', toolCallId: 'call-1', toolName: 'search', input: { query: 'cues' } }],
    });
  });
});

describe('token summarization', () => {
  const long = calls(['search', { query: 'x'.repeat(2_000) }]);

  test('the last messages can be kept out of the summary and appended', async () => {
    let recent: ModelMessage[] = [];
    const logged: string[] = [];
    const model = scriptedModel([calls(['search', { query: 'a' }]), long, 'Some searches.', complete()]);
    const result = await runAgentSession(model, {
      sessionId: 'session-1',
      systemPrompt,
      tools,
      tokenLimit: 700,
      callbacks: {
        onBeforeSummarize: async (sessionId, messages) => {
          logged.push(`[${sessionId}] Summarizing ${messages.length} messages`);
          recent = messages.slice(-1);
          return messages.slice(0, -1);
        },
        onAfterSummarize: async (sessionId, summarizedMessages) => {
          logged.push(`[${sessionId}] Summary complete`);
          return [...summarizedMessages, ...recent];
        },
      },
    });
    expect(logged).toEqual(['[session-1] Summarizing 5 messages', '[session-1] Summary complete']);
    // the kept result of a tool comes with its call
    expect(result.messages.slice(0, 5).map(({ role }) => role)).toEqual([
      'user',
      'assistant',
      'assistant',
      'tool',
      'user',
    ]);
    expect(result.completionReason).toBe('task_complete');
  });

  test('messages that are removed before can be added back after', async () => {
    const model = scriptedModel([long, 'A search.', complete()]);
    const result = await runAgentSession(model, {
      systemPrompt,
      tools,
      tokenLimit: 700,
      initialMessage: 'You are a pirate.',
      callbacks: {
        onBeforeSummarize: (_, messages) =>
          messages.filter(({ content }) => typeof content !== 'string' || !content.startsWith('You are')),
        onAfterSummarize: (_, summary) => [{ role: 'user', content: 'You are a pirate.' }, ...summary],
      },
    });
    expect(result.messages.slice(0, 4).map(({ content }) => content)).toEqual([
      'You are a pirate.',
      'Previous conversation summary:',
      'A search.',
      'Please continue.',
    ]);
    expect(JSON.stringify(model.calls[1]?.prompt)).not.toContain('pirate');
  });
});

describe('built-in tools', () => {
  test('task_complete ends the session with its summary and result', async () => {
    const model = scriptedModel([
      calls(['task_complete', { summary: 'Completed the analysis', result: { findings: ['one'] } }]),
    ]);
    const result = await runAgentSession(model, { systemPrompt, tools });
    expect(result).toMatchObject({
      completionReason: 'task_complete',
      finalOutput: 'Completed the analysis',
      taskResult: { findings: ['one'] },
    });
    expect(model.calls[0]?.tools?.map(({ name }) => name)).toEqual(['task_complete', 'search']);
  });
});

describe('error handling', () => {
  test('each error is reported with its phase, and no error stops the session', async () => {
    const logError = vi.fn();
    const model = scriptedModel([
      [{ throw: { message: 'What?', status: 400 } }],
      calls(['search', { question: 'x' }]),
      calls(['broken']),
      calls(['slow']),
      complete(),
    ]);
    const result = await runAgentSession(model, {
      systemPrompt,
      llmTimeout: 60_000,
      toolTimeout: 40,
      tools: {
        ...tools,
        broken: {
          inputSchema: z.object({}),
          execute: async () => {
            throw new RangeError('out of range');
          },
        },
        slow: { inputSchema: z.object({}), execute: () => new Promise(() => {}) },
      },
      callbacks: {
        onError: async (_, info) => {
          await logError(info.phase, info.turn, info.error.message);
        },
      },
    });
    expect(result).toMatchObject({ completionReason: 'task_complete', totalTurns: 5 });
    expect(logError.mock.calls).toEqual([
      ['llm', 1, expect.stringContaining('What?')],
      ['tool_parsing', 2, expect.stringContaining('Invalid input for tool search')],
      ['tool_execution', 3, 'out of range'],
      ['tool_execution', 4, 'slow took longer than 40 ms, so it was ended.'],
    ]);
    // the model reads all of them
    const sent = JSON.stringify(model.calls[4]?.prompt);
    for (const words of ['What?', 'Invalid input for tool search', 'out of range', 'longer than 40 ms']) {
      expect(sent).toContain(words);
    }
  });
});
