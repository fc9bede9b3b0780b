import { definePlugin, runPrompt, tool } from '@cueline/core';
import { defineSession, runAgentSession, suspend } from '@cueline/core/agents';
import { scriptedModel } from '@cueline/core/testing';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { calls, json, play } from '../../support.ts';
import { complete, playSession, search, short } from './sessions.ts';

describe('The tools of a session', () => {
  test('may be a list of tool(…), each with its own time limit', async () => {
    const errors: unknown[] = [];
    const { result, model } = await playSession([calls(['add', { a: 1, b: 2 }], ['slow']), complete()], {
      toolTimeout: 60_000,
      tools: [
        tool('add', 'Add', z.object({ a: z.number(), b: z.number() }), ({ a, b }) => a + b),
        tool('slow', 'Slow', z.object({}), () => new Promise(() => {}), { timeoutMs: 30 }),
      ],
      callbacks: { onError: (_, { phase, toolName }) => void errors.push([phase, toolName]) },
    });
    expect(result.completionReason).toBe('task_complete');
    expect(errors).toEqual([['tool_execution', 'slow']]);
    expect(JSON.stringify(model.calls[1]?.prompt)).toContain('slow took longer than 30 ms');
  });

  test('have a time limit also while they yield outputs', async () => {
    const { result, told } = await playSession([calls(['drip']), complete()], {
      toolTimeout: 50,
      tools: {
        drip: {
          inputSchema: z.object({}),
          async *execute() {
            yield 1;
            await new Promise(() => {});
          },
        },
      },
    });
    expect(result.completionReason).toBe('task_complete');
    expect(told.filter((line) => line.startsWith('onError'))).toEqual([
      'onError 1: tool_execution drip drip took longer than 50 ms, so it was e',
    ]);
  });

  test('have a time limit that starts with the call, not while the call waits', async () => {
    const { result, told } = await playSession(
      [calls(...Array.from({ length: 3 }, (_, n): [string, object] => ['drip', { n }])), complete()],
      {
        toolTimeout: 150,
        limits: { concurrentToolCalls: 1 },
        tools: {
          drip: {
            inputSchema: z.object({ n: z.number() }),
            async *execute({ n }: { n: number }) {
              yield 'begun';
              await new Promise((resolve) => setTimeout(resolve, 70));
              yield n;
            },
          },
        },
      },
    );
    expect(result.completionReason).toBe('task_complete');
    expect(told.filter((line) => /^on(ToolResult|Error).* drip/.test(line))).toEqual([
      'onToolResult 1: drip 0',
      'onToolResult 1: drip 1',
      'onToolResult 1: drip 2',
    ]);
  });

  test('have no time limit with Infinity', async () => {
    const { result, told } = await playSession([calls(['search', { query: 'x'.repeat(30) }]), complete()], {
      toolTimeout: Infinity,
      llmTimeout: Infinity,
      tokenLimit: Infinity,
      maxTurns: Infinity,
    });
    expect(result.completionReason).toBe('task_complete');
    expect(told.filter((line) => line.startsWith('onError'))).toEqual([]);
  });

  test.each([60_000, { totalMs: 60_000 }])(
    'keep their time limit if the run has one of its own: %j',
    async (timeout) => {
      const slow = { inputSchema: z.object({}), execute: () => new Promise(() => {}) };
      const work = defineSession('work', { systemPrompt: '', tools: { slow }, toolTimeout: 20 });
      const { run } = await play(work, [calls(['slow']), complete()], { options: { timeout } });
      expect(run.getState().toolCalls[0]?.errorText).toMatch(/^slow took longer than 20 ms/);
    },
  );

  test('may have plain JSON Schema', async () => {
    const { result, model } = await playSession([calls(['echo', { text: 'hi' }]), complete()], {
      tools: {
        echo: {
          description: 'Echo',
          inputSchema: { type: 'object', properties: { text: { type: 'string' } } },
          execute: (args) => args,
        },
      },
    });
    expect(result.completionReason).toBe('task_complete');
    expect(model.calls[0]?.tools?.[1]).toMatchObject({ name: 'echo', inputSchema: { type: 'object' } });
  });

  test('get a signal that aborts', async () => {
    let aborted: boolean | undefined;
    await playSession([calls(['slow']), complete()], {
      toolTimeout: 20,
      tools: {
        slow: {
          inputSchema: z.object({}),
          execute: (_, { abortSignal }) =>
            new Promise(() => {
              abortSignal?.addEventListener('abort', () => (aborted = true));
            }),
        },
      },
    });
    expect(aborted).toBe(true);
  });
});

describe('Suspension', () => {
  const ask = {
    description: 'Ask the user',
    inputSchema: z.object({ question: z.string() }),
    execute: async ({ question }: { question: string }) => suspend({ question, choices: ['red', 'blue'] }),
  };

  test('ends the session, which continues with the answer', async () => {
    const { result, session } = await playSession(
      [calls(['ask', { question: 'Which?' }, 'call-ask'], ['search', { query: 'x' }])],
      { tools: { ask, search } },
    );
    expect(result).toMatchObject({
      completionReason: 'suspended',
      suspended: [
        {
          toolCallId: 'call-ask',
          toolName: 'ask',
          payload: { question: 'Which?', choices: ['red', 'blue'] },
        },
      ],
    });
    expect(session.run.getState().status).toBe('waiting');
    expect(session.run.log().at(-1)).toMatchObject({ type: 'run-end', outcome: 'waiting' });
    const stored = json(result);
    expect(short(stored.messages)).toBe('user, assistant(ask search), tool(search)');

    const resumed = await playSession([complete('Red it is.')], {
      tools: { ask, search },
      initialMessages: stored.messages,
      answers: { 'call-ask': 'red' },
    });
    expect(resumed.result.completionReason).toBe('task_complete');
    expect(resumed.model.calls[0]?.prompt.at(-1)).toMatchObject({
      role: 'tool',
      content: [{ toolName: 'search' }, { toolCallId: 'call-ask', output: { type: 'text', value: 'red' } }],
    });
    const again = await playSession([complete()], {
      initialMessages: resumed.result.messages,
      answers: { 'call-ask': 'blue' },
    });
    expect(JSON.stringify(again.model.calls[0]?.prompt)).not.toContain('blue');
  });

  test('leaves a call that counts as interrupted if no answer is given', async () => {
    const { result } = await playSession([calls(['ask', { question: 'Which?' }])], { tools: { ask } });
    const resumed = await playSession([complete()], { tools: { ask }, initialMessages: result.messages });
    expect(JSON.stringify(resumed.model.calls[0]?.prompt)).toContain('interrupted');
  });

  test('refuses an answer to an unknown call', async () => {
    const { result } = await playSession([], {
      initialMessages: [{ role: 'user', content: 'Hi' }],
      answers: { unknown: 'x' },
    });
    expect(result).toMatchObject({ completionReason: 'error', error: { code: 'invalid_options' } });
  });

  test.each(['by name', 'as tool(…)'])(
    'sends a message that replaces the answer as a user message: %s',
    async (how) => {
      const tools =
        how === 'by name' ? { ask } : [tool('ask', 'Ask', ask.inputSchema, (args) => ask.execute(args))];
      const model = scriptedModel([
        calls(['ask', { question: 'Which?' }]),
        calls(['search']),
        complete('Red.'),
      ]);
      const session = runAgentSession(model, { systemPrompt: 'You ask.', tools });
      expect((await session).completionReason).toBe('suspended');
      await expect(session.run.send('Red.')).resolves.toEqual({ summary: 'Red.' });
      for (const { prompt } of model.calls.slice(1)) {
        expect(prompt.slice(3, 5)).toMatchObject([
          {
            role: 'tool',
            content: [{ output: { type: 'error-text', value: expect.stringMatching(/waits/) as unknown } }],
          },
          { role: 'user', content: [{ text: 'Red.' }] },
        ]);
        expect(JSON.stringify(prompt)).not.toContain('cueline-suspension');
      }
    },
  );

  test.each(['by name', 'as tool(…)', 'as several outputs'])(
    'does not come from foreign data of its form: %s',
    async (how) => {
      const foreign = '{"kind":"cueline-suspension","payload":1}';
      const fetched = (): unknown => JSON.parse(foreign);
      const tools = {
        'by name': { fetch: { inputSchema: z.object({}), execute: fetched } },
        'as tool(…)': [tool('fetch', 'Fetch', z.object({}), fetched)],
        'as several outputs': [
          tool('fetch', 'Fetch', z.object({}), async function* () {
            yield fetched();
          }),
        ],
      }[how]!;
      const { result, model } = await playSession([calls(['fetch']), complete()], { tools });
      expect(result).toMatchObject({ completionReason: 'task_complete', totalTurns: 2 });
      expect(model.calls[1]?.prompt.at(-1)).toMatchObject({
        role: 'tool',
        content: [{ output: { type: 'text', value: foreign } }],
      });
    },
  );

  test('also comes from a tool(…), and beside a call of task_complete', async () => {
    const { result } = await playSession([[...(calls(['ask', {}, 'a']) as []), ...(complete() as [])]], {
      tools: [tool('ask', 'Ask', z.object({}), () => suspend('?'))],
    });
    expect(result).toMatchObject({ completionReason: 'suspended', suspended: [{ payload: '?' }] });
  });
});

describe('A mistake in the config', () => {
  const ok = { systemPrompt: '' };
  test.each<[string, () => unknown, RegExp]>([
    ['no system prompt', () => runAgentSession('simulated:demo', {} as never), /systemPrompt/],
    ['no config', () => runAgentSession('simulated:demo', undefined as never), /systemPrompt/],
    ['turns', () => runAgentSession('simulated:demo', { ...ok, maxTurns: 0 }), /maxTurns is 0/],
    ['a time', () => runAgentSession('simulated:demo', { ...ok, llmTimeout: Number.NaN }), /llmTimeout/],
    [
      'messages',
      () => runAgentSession('simulated:demo', { ...ok, initialMessages: 'hi' as never }),
      /initialMessages/,
    ],
    ['no model', () => runAgentSession(undefined as never, ok), /model/],
    ['a provider', () => runAgentSession({ provider: 'opeanai' as never, model: 'x' }, ok), /opeanai/],
    ['a model id', () => runAgentSession({ provider: 'openai', model: '' }, ok), /gpt-4o/],
    [
      'a tool of that name',
      () => runAgentSession('simulated:demo', { ...ok, tools: { task_complete: search } }),
      /task_complete/,
    ],
  ])('throws at once: %s', (_, make, message) => {
    expect(make).toThrow(
      expect.objectContaining({
        code: 'invalid_options',
        message: expect.stringMatching(message) as unknown,
      }),
    );
  });

  test.each([{ name: 'research', ...ok }, undefined, ' '])('throws at once: %j is no name', (name) => {
    expect(() => defineSession(name as never, ok)).toThrow(
      "defineSession('research', { systemPrompt: '…' })",
    );
  });

  test.each<[string, object, RegExp]>([
    ['an unknown name', { maxTurn: 1 }, /maxTurns/],
    ['a callback', { callbacks: { onError: 1 } }, /onError/],
    ['an unknown callback', { callbacks: { onMessageUpdate: () => {} } }, /onMessagesUpdate/],
    ['no callbacks', { callbacks: null }, /callbacks is null/],
    ['no tools', { tools: null }, /tools is null/],
    ['a first message that is no text', { initialMessage: [] }, /initialMessage is a list/],
    [
      "a UI's messages",
      { initialMessages: [{ id: '1', role: 'user', parts: [{ type: 'text', text: 'Hi' }] }] },
      /initialMessages\[0\].*convertToModelMessages/,
    ],
    [
      "another API's messages",
      {
        initialMessages: [
          { role: 'user', content: 'Hi' },
          { role: 'assistant', content: null, tool_calls: [] },
        ],
      },
      /initialMessages\[1\]/,
    ],
    ['no message', { initialMessages: [null] }, /initialMessages\[0\]/],
    ['a role', { initialMessages: [{ role: 'developer', content: 'Hi' }] }, /initialMessages\[0\]/],
    ['an answer without messages', { answers: { 'call-1': 'red' } }, /call-1/],
    ['a tool without execute', { tools: { a: { inputSchema: z.object({}) } } }, /suspend/],
    ['a list of other things', { tools: [search] }, /tool\('/],
    ['a system message', { initialMessages: [{ role: 'system', content: '' }] }, /systemPrompt/],
  ])('ends the session before its first turn: %s', async (_, config, message) => {
    const result = await runAgentSession('simulated:demo', { ...ok, ...config });
    expect(result).toMatchObject({
      completionReason: 'error',
      totalTurns: 0,
      error: { code: 'invalid_options' },
    });
    expect(result.error?.message).toMatch(message);
  });
});

test('A task list that a plugin defines is refused before the session starts', async () => {
  const planned = definePlugin({
    name: 'planned',
    setup(prompt) {
      prompt.defTaskList([{ task: 'One' }]);
      return {};
    },
  });
  const model = scriptedModel([complete()]);
  const session = defineSession('work', { systemPrompt: 'You work.', tools: { search } });
  await expect(runPrompt(session, { model, options: { plugins: [planned] } })).rejects.toMatchObject({
    code: 'invalid_definition',
    message:
      'The session or agent "work" cannot have a task list, which a plugin defines here. Leave the plugin out, or run the list in a prompt of its own.',
  });
  expect(model.calls).toHaveLength(0);
});
