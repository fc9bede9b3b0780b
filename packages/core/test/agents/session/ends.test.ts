import { tool, type CuelineError } from '@cueline/core';
import { runAgentSession, suspend, type AgentSession } from '@cueline/core/agents';
import { scriptedModel, type ScriptedTurn } from '@cueline/core/testing';
import { openai } from '@ai-sdk/openai';
import type { ToolSet } from 'ai';
import { describe, expect, test, vi } from 'vitest';
import * as z from 'zod';
import { calls, complete, json, playSession, search, short, traced } from './sessions.ts';

const fails = (status: number, message: string): ScriptedTurn => [{ throw: { message, status } }];
const forever = { inputSchema: z.object({}), execute: (): Promise<never> => new Promise(() => {}) };

describe('what a session came to', () => {
  const last = (text: string): ScriptedTurn =>
    [{ text }, ...(complete('The summary.') as object[])] as ScriptedTurn;
  const talksFirst: ScriptedTurn = [
    { text: 'Let me look that up.' },
    { toolCall: { name: 'search', input: { query: 'a' } } },
  ];

  test('finalOutput is the text of the turn that completed the task', async () => {
    const { result } = await playSession([talksFirst, last('Every 11 minutes.')]);
    expect(result).toMatchObject({ finalOutput: 'Every 11 minutes.', summary: 'The summary.' });
  });

  test('finalOutput is the summary if that turn has no text, whatever earlier turns contain', async () => {
    const { result } = await playSession([talksFirst, complete('The summary.')]);
    expect(result).toMatchObject({ finalOutput: 'The summary.', summary: 'The summary.' });
  });

  test('a session that ends without task_complete has its last text, and no summary', async () => {
    const { result } = await playSession([talksFirst, calls(['search', { query: 'b' }])], { maxTurns: 2 });
    expect(result).toMatchObject({ completionReason: 'max_turns', finalOutput: 'Let me look that up.' });
    expect(result).not.toHaveProperty('summary');
  });
});

describe('a tool of the provider without execute', () => {
  const shell = openai.tools.localShell({}) as unknown as ToolSet[string];
  const called = calls(['shell', { action: { type: 'exec', command: ['ls'], env: {} } }]);

  test('ends the session before its first turn, and the error names what is missing', async () => {
    const { result, model } = await playSession([called], { tools: { shell } });
    expect(model.calls).toHaveLength(0);
    expect(result).toMatchObject({ completionReason: 'error', error: { code: 'invalid_options' } });
    expect(result.error?.message).toContain('shell');
    expect(result.error?.message).toContain('execute: async');
  });

  test('ends it at the first call if the tool has no function', async () => {
    const { isProviderExecuted: _, ...older } = shell as { isProviderExecuted?: boolean };
    const tools = { search, shell: older as typeof shell };
    const { result, model } = await playSession([called, called, called, complete()], { tools });
    expect(model.calls).toHaveLength(1);
    expect(result).toMatchObject({ completionReason: 'error', error: { code: 'invalid_options' } });
    expect(result.error?.message).toContain('shell');
  });

  test('one that the provider runs itself does not count', async () => {
    const tools = { web_search: openai.tools.webSearch() as unknown as ToolSet[string] };
    const { result } = await playSession([complete()], { tools });
    expect(result.completionReason).toBe('task_complete');
  });
});

describe('model calls that fail', () => {
  test('the error goes into the conversation, and the next turn follows', async () => {
    const { model, result } = await playSession([fails(400, 'Field x is not known.'), complete()]);
    expect(result).toMatchObject({ completionReason: 'task_complete', totalTurns: 2 });
    expect(result.error).toBeUndefined();
    expect(model.calls[1]?.prompt.at(-1)).toMatchObject({
      role: 'user',
      content: [{ text: expect.stringContaining('Field x is not known.') as string }],
    });
  });

  test('a partial answer is neither sent again nor kept', async () => {
    const { model, result, session } = await playSession([
      [{ text: 'I was about to' }, { error: new Error('socket hang up') }],
      complete(),
    ]);
    expect(result).toMatchObject({ completionReason: 'task_complete', totalTurns: 2 });
    expect(JSON.stringify(model.calls[1]?.prompt)).not.toContain('about to');
    expect(JSON.stringify(result.messages)).not.toContain('about to');
    expect(result.finalOutput).toBe('All done.');
    // what was seen was seen
    expect(JSON.stringify(session.run.log())).toContain('about to');
  });

  test('five in a row end it', async () => {
    const { result, told } = await playSession(Array.from({ length: 9 }, (_, at) => fails(400, `No ${at}.`)));
    expect(result).toMatchObject({
      completionReason: 'error',
      totalTurns: 5,
      error: { code: 'bad_request' },
    });
    expect(told.filter((line) => line.startsWith('onError'))).toHaveLength(5);
    expect(told.at(-1)).toBe('onComplete error in 5');
  });

  test('four do not end it, and a success starts the count again', async () => {
    const four = Array.from({ length: 4 }, () => fails(400, 'No.'));
    const { result } = await playSession([...four, calls(['search', { query: 'x' }]), ...four, complete()]);
    expect(result).toMatchObject({ completionReason: 'task_complete', totalTurns: 10 });
  });

  test.each([
    [401, 'auth'],
    [403, 'model_denied'],
  ])('%i ends it at once', async (status, code) => {
    const { result, model } = await playSession([fails(status, 'No.')]);
    expect(result).toMatchObject({ completionReason: 'error', error: { code }, totalTurns: 1 });
    expect(model.calls).toHaveLength(1);
  });

  test('a failed turn is neither idle nor at work', async () => {
    const { result } = await playSession(['Hm.', fails(400, 'No.'), 'Well.', complete()]);
    const said = result.messages.flatMap(({ role, content }) => (role === 'user' ? [content] : []));
    expect(said.map((text) => (text as string).slice(0, 16))).toEqual([
      'Please begin.',
      'Please continue.',
      'The last model c',
      'REMINDER: If you',
    ]);
  });

  test('an unknown model, and a model that needs a key, end it before the first turn', async () => {
    for (const [model, code] of [
      ['nobody:knows', 'unknown_model'],
      ['fast', 'unknown_model'],
      ['openai:gpt-4o', 'missing_key'],
    ]) {
      const told: string[] = [];
      const session = runAgentSession(model as string, {
        systemPrompt: '',
        models: { env: {} },
        callbacks: traced(told),
      });
      expect(await session).toMatchObject({ completionReason: 'error', totalTurns: 0, error: { code } });
      expect(told.map((line) => line.split(' ').slice(0, 3).join(' '))).toEqual([
        'onError 0: llm',
        'onComplete error in',
      ]);
      expect(session.run.getState()).toMatchObject({ status: 'error', error: { code } });
    }
  });

  test('a call that takes longer than llmTimeout is aborted, and heals', async () => {
    const model = scriptedModel([[{ delay: 60_000, text: 'late' }], complete()]);
    const errors: unknown[] = [];
    const result = await runAgentSession(model, {
      systemPrompt: '',
      llmTimeout: 40,
      callbacks: {
        onError: (_, { phase, error }) => void errors.push([phase, (error as CuelineError).code]),
      },
    });
    expect(result).toMatchObject({ completionReason: 'task_complete', totalTurns: 2 });
    expect(errors).toEqual([['llm', 'timeout']]);
    expect(model.calls[0]?.abortSignal?.aborted).toBe(true);
  });
});

describe('stop', () => {
  async function stopped(
    turns: readonly ScriptedTurn[],
    when: (session: AgentSession) => void,
    config: object = {},
  ): Promise<{ told: string[]; session: AgentSession; ms: number }> {
    const told: string[] = [];
    const session = runAgentSession(scriptedModel(turns), {
      systemPrompt: '',
      tools: { search, forever },
      ...config,
      callbacks: traced(told),
    });
    when(session);
    const result = await session;
    expect(result.completionReason).toBe('stopped');
    expect(result.error).toBeUndefined();
    expect(['stopped', 'idle']).toContain(session.run.getState().status);
    expect(told.filter((line) => line.startsWith('onComplete'))).toHaveLength(1);
    expect(told.at(-1)).toMatch(/^onComplete stopped/);
    return { told, session, ms: 0 };
  }
  /** Stops once the log has an event of this type. */
  const at =
    (type: string, nth = 1) =>
    (session: AgentSession) => {
      let seen = 0;
      session.run.listen((event) => {
        if (event.type !== type) return;
        seen += 1;
        if (seen === nth) session.stop();
      });
    };

  test('before it has begun', async () => {
    const { told } = await stopped([complete()], (session) => session.stop());
    expect(told).toEqual(['onComplete stopped in 0']);
    // what begins only then is not told of
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(told).toHaveLength(1);
  });

  test('during a model call', async () => {
    const turn = [{ text: 'Wait' }, { delay: 60_000, text: 'for it' }];
    const { told } = await stopped([turn], at('text-delta'));
    expect(told).toEqual(['onTurnStart 1', 'onComplete stopped in 1']);
  });

  test('during a tool that does not listen', async () => {
    const { told, session } = await stopped([calls(['forever'])], at('tool-start'));
    expect(told.at(-1)).toBe('onComplete stopped in 1');
    expect(short((await session).messages)).toBe('user, assistant(forever)');
  });

  test('during a summary', async () => {
    const big = calls(['search', { query: 'x'.repeat(4_000) }]);
    const { told, session } = await stopped(
      [big, [{ text: 'So' }, { delay: 60_000, text: 'far' }]],
      at('agent-start'),
      {
        tokenLimit: 800,
      },
    );
    expect(told.some((line) => line.startsWith('onError'))).toBe(false);
    expect(short((await session).messages)).toBe('user, assistant(search), tool(search)');
  });

  test('by a signal, which may have aborted before', async () => {
    const { told } = await stopped([complete()], () => {}, { signal: AbortSignal.abort() });
    expect(told).toEqual(['onComplete stopped in 0']);
    const controller = new AbortController();
    const { session } = await stopped([calls(['forever'])], () => setTimeout(() => controller.abort(), 60), {
      signal: controller.signal,
    });
    expect(session.run.getState().status).toBe('stopped');
  });

  test('twice, and after the end', async () => {
    const { session, result } = await playSession([complete()]);
    session.stop();
    session.stop();
    expect(await session).toBe(result);
    expect(result.completionReason).toBe('task_complete');
  });
});

test('a callback that changes its arguments changes nothing', async () => {
  const model = scriptedModel([calls(['search', { query: 'a' }, 'call-1']), complete()]);
  const session = runAgentSession(model, {
    systemPrompt: '',
    tools: { search },
    callbacks: {
      onToolCall: (_, { input }) => void Object.assign(input as object, { query: 'changed' }),
      onToolResult: (_, { output }) => void Object.assign(output as object, { found: 'changed' }),
      onMessagesUpdate(_, messages) {
        for (const message of messages) message.content = 'changed';
        messages.length = 0;
      },
    },
  });
  const { messages } = await session;
  expect(JSON.stringify([session.run.log(), messages, model.calls[1]?.prompt])).not.toContain('changed');
});

describe('callbacks that throw', () => {
  test('the session continues; each throw is a warning, and in the log of the caller', async () => {
    const error = vi.fn();
    const told: string[] = [];
    const throws = (name: string) => (): never => {
      throw new Error(`${name} is broken`);
    };
    const session = runAgentSession(
      scriptedModel([
        [{ text: 'Look.' }, { toolCall: { name: 'search', input: { query: 'x'.repeat(4_000) } } }],
        'In short, x.',
        complete(),
      ]),
      {
        sessionId: 's1',
        systemPrompt: '',
        tools: { search },
        tokenLimit: 900,
        logger: { error },
        callbacks: traced(told, {
          onTurnStart: throws('onTurnStart'),
          onAssistantMessage: throws('onAssistantMessage'),
          onToolCall: throws('onToolCall'),
          onToolResult: throws('onToolResult'),
          onMessagesUpdate: throws('onMessagesUpdate'),
          onBeforeSummarize: throws('onBeforeSummarize'),
          onAfterSummarize: throws('onAfterSummarize'),
          onComplete: throws('onComplete'),
        }),
      },
    );
    expect(await session).toMatchObject({ completionReason: 'task_complete', totalTurns: 2 });
    const names = [
      'onTurnStart',
      'onAssistantMessage',
      'onToolCall',
      'onMessagesUpdate',
      'onToolResult',
      'onBeforeSummarize',
      'onAfterSummarize',
    ];
    const warnings = session.run.log().flatMap((event) => (event.type === 'warning' ? [event.message] : []));
    expect(new Set(warnings)).toEqual(new Set(names.map((name) => `${name} threw: ${name} is broken`)));
    expect(error.mock.calls.at(-1)).toEqual([
      'onComplete threw: onComplete is broken',
      { sessionId: 's1', error: new Error('onComplete is broken') },
    ]);
  });

  test('an invalid list counts as thrown', async () => {
    const { result, session } = await playSession(
      [calls(['search', { query: 'x'.repeat(4_000) }]), 'In short, x.', complete()],
      { tokenLimit: 900, callbacks: { onAfterSummarize: () => 'nonsense' as never } },
    );
    expect(short(result.messages)).toBe(
      'user, assistant, user, assistant(task_complete), tool(task_complete)',
    );
    expect(session.run.log().filter(({ type }) => type === 'warning')).toHaveLength(1);
  });

  test('what a callback does to its messages changes nothing', async () => {
    const { result } = await playSession([calls(['search', { query: 'x' }]), complete()], {
      callbacks: {
        onMessagesUpdate: (_, messages) => {
          for (const message of messages) message.content = 'gone';
          messages.length = 0;
        },
      },
    });
    expect(JSON.stringify(result.messages)).not.toContain('gone');
    expect(short(result.messages)).toBe(
      'user, assistant(search), tool(search), assistant(task_complete), tool(task_complete)',
    );
  });
});

describe('tools', () => {
  test('a list of tool(…), with a time limit of their own', async () => {
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

  test('a streaming tool has a time limit, too', async () => {
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

  test('its time begins with its work, and not while it waits for its turn', async () => {
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

  test('Infinity is no time limit', async () => {
    const { result, told } = await playSession([calls(['search', { query: 'x'.repeat(30) }]), complete()], {
      toolTimeout: Infinity,
      llmTimeout: Infinity,
      tokenLimit: Infinity,
      maxTurns: Infinity,
    });
    expect(result.completionReason).toBe('task_complete');
    expect(told.filter((line) => line.startsWith('onError'))).toEqual([]);
  });

  test('plain JSON Schema will do', async () => {
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

  test('an aborted tool hears of it', async () => {
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

describe('suspension', () => {
  const ask = {
    description: 'Ask the user',
    inputSchema: z.object({ question: z.string() }),
    execute: async ({ question }: { question: string }) => suspend({ question, choices: ['red', 'blue'] }),
  };

  test('it ends suspended, and continues with the answer', async () => {
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
    // the same answer to what it has answered already is none
    const again = await playSession([complete()], {
      initialMessages: resumed.result.messages,
      answers: { 'call-ask': 'blue' },
    });
    expect(JSON.stringify(again.model.calls[0]?.prompt)).not.toContain('blue');
  });

  test('without an answer the call was interrupted', async () => {
    const { result } = await playSession([calls(['ask', { question: 'Which?' }])], { tools: { ask } });
    const resumed = await playSession([complete()], { tools: { ask }, initialMessages: result.messages });
    expect(JSON.stringify(resumed.model.calls[0]?.prompt)).toContain('interrupted');
  });

  test('an answer to a call that was never made is a mistake', async () => {
    const { result } = await playSession([], {
      initialMessages: [{ role: 'user', content: 'Hi' }],
      answers: { nobody: 'x' },
    });
    expect(result).toMatchObject({ completionReason: 'error', error: { code: 'invalid_options' } });
  });

  test.each(['by name', 'as tool(…)'])(
    'words instead of an answer are passed on as words: %s',
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

  test('from a tool(…) as well, also if it is called together with task_complete', async () => {
    const { result } = await playSession([[...(calls(['ask', {}, 'a']) as []), ...(complete() as [])]], {
      tools: [tool('ask', 'Ask', z.object({}), () => suspend('?'))],
    });
    expect(result).toMatchObject({ completionReason: 'suspended', suspended: [{ payload: '?' }] });
  });
});

describe('the run', () => {
  test('resolves with the arguments of task_complete, and continues as a session', async () => {
    const told: string[] = [];
    const model = scriptedModel([complete('One.', { n: 1 }), 'Hm.', complete('Two.')]);
    const session = runAgentSession(model, {
      sessionId: 's1',
      systemPrompt: 'You work.',
      initialMessage: 'Do the first.',
      callbacks: traced(told),
    });
    const result = await session;
    expect(session.run.id).toBe('s1');
    expect(session.run.getState()).toMatchObject({
      status: 'done',
      result: { summary: 'One.', result: { n: 1 } },
    });
    told.length = 0;
    await expect(session.run.send('Now the second.')).resolves.toEqual({ summary: 'Two.' });
    expect(told[0]).toBe('onTurnStart 1');
    expect(told.at(-1)).toBe('onComplete task_complete in 2');
    expect(model.calls[1]?.prompt.map(({ role }) => role)).toEqual([
      'system',
      'user',
      'assistant',
      'tool',
      'user',
    ]);
    // of the first start
    expect(await session).toBe(result);
  });

  test('its limits hold over the turns', async () => {
    const { result } = await playSession(
      [calls(['search', { query: 'a' }]), calls(['search', { query: 'b' }])],
      {
        limits: { toolCalls: 1 },
      },
    );
    expect(result).toMatchObject({
      completionReason: 'error',
      error: { code: 'budget_exceeded', details: { limit: 'toolCalls' } },
    });
  });

  test('no turns left is an error of the run, and not of the session', async () => {
    const { result, session } = await playSession(['Hm.'], { maxTurns: 1 });
    expect(result.completionReason).toBe('max_turns');
    expect(result.error).toBeUndefined();
    expect(session.run.getState()).toMatchObject({
      status: 'error',
      error: { code: 'budget_exceeded', details: { limit: 'turns', allowed: 1 } },
    });
  });

  test('no key is in its log', async () => {
    const key = 'secret-key-0123456789';
    const model = scriptedModel([
      fails(400, `Bad key ${key}.`),
      calls(['search', { query: key }]),
      complete(key),
    ]);
    const session = runAgentSession(model, {
      systemPrompt: '',
      tools: { search },
      models: { env: { OPENAI_API_KEY: key } },
    });
    const result = await session;
    expect(result.completionReason).toBe('task_complete');
    expect(JSON.stringify(session.run.log())).not.toContain(key);
    expect(JSON.stringify(model.calls[1]?.prompt)).not.toContain(key);
  });
});

describe('mistakes in the config', () => {
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
  ])('%s throws at once', (_, make, message) => {
    expect(make).toThrow(
      expect.objectContaining({
        code: 'invalid_options',
        message: expect.stringMatching(message) as unknown,
      }),
    );
  });

  test.each<[string, object, RegExp]>([
    ['an unknown name', { maxTurn: 1 }, /maxTurns/],
    ['a callback', { callbacks: { onError: 1 } }, /onError/],
    ['a callback that there is not', { callbacks: { onMessageUpdate: () => {} } }, /onMessagesUpdate/],
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
  ])('%s ends it before its first turn', async (_, config, message) => {
    const result = await runAgentSession('simulated:demo', { ...ok, ...config });
    expect(result).toMatchObject({
      completionReason: 'error',
      totalTurns: 0,
      error: { code: 'invalid_options' },
    });
    expect(result.error?.message).toMatch(message);
  });
});
