import { runAgentSession, type AgentSession } from '@cueline/core/agents';
import { scriptedModel, type ScriptedTurn } from '@cueline/core/testing';
import { describe, expect, test, vi } from 'vitest';
import * as z from 'zod';
import { calls, throwing } from '../../support.ts';
import { complete, playSession, search, short, traced } from './sessions.ts';

const forever = { inputSchema: z.object({}), execute: (): Promise<never> => new Promise(() => {}) };

describe('The result of a session', () => {
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

describe('A stopped session', () => {
  async function stopped(
    turns: readonly ScriptedTurn[],
    when: (session: AgentSession) => void,
    config: object = {},
  ): Promise<{ told: string[]; session: AgentSession }> {
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
    return { told, session };
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

  test('reports only its end if it is stopped before it begins', async () => {
    const { told } = await stopped([complete()], (session) => session.stop());
    expect(told).toEqual(['onComplete stopped in 0']);
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(told).toHaveLength(1);
  });

  test('ends during a model call', async () => {
    const turn = [{ text: 'Wait' }, { delay: 60_000, text: 'for it' }];
    const { told } = await stopped([turn], at('text-delta'));
    expect(told).toEqual(['onTurnStart 1', 'onComplete stopped in 1']);
  });

  test('ends during a tool that ignores its signal', async () => {
    const { told, session } = await stopped([calls(['forever'])], at('tool-start'));
    expect(told.at(-1)).toBe('onComplete stopped in 1');
    expect(short((await session).messages)).toBe('user, assistant(forever)');
  });

  test('ends without an error during a summary', async () => {
    const big = calls(['search', { query: 'x'.repeat(4_000) }]);
    const { told, session } = await stopped(
      [big, [{ text: 'So' }, { delay: 60_000, text: 'far' }]],
      at('agent-start'),
      { tokenLimit: 800 },
    );
    expect(told.some((line) => line.startsWith('onError'))).toBe(false);
    expect(short((await session).messages)).toBe('user, assistant(search), tool(search)');
  });

  test('ends by a signal, also by one that has aborted before', async () => {
    const { told } = await stopped([complete()], () => {}, { signal: AbortSignal.abort() });
    expect(told).toEqual(['onComplete stopped in 0']);
    const controller = new AbortController();
    const { session } = await stopped([calls(['forever'])], () => setTimeout(() => controller.abort(), 60), {
      signal: controller.signal,
    });
    expect(session.run.getState().status).toBe('stopped');
  });

  test('keeps its result if stop is called after the end', async () => {
    const { session, result } = await playSession([complete()]);
    session.stop();
    session.stop();
    expect(await session).toBe(result);
    expect(result.completionReason).toBe('task_complete');
  });
});

test('A callback that changes its arguments changes nothing else', async () => {
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
  expect(short(messages)).toBe(
    'user, assistant(search), tool(search), assistant(task_complete), tool(task_complete)',
  );
  expect(JSON.stringify([session.run.log(), messages, model.calls[1]?.prompt])).not.toContain('changed');
});

describe('Callbacks that throw', () => {
  test("become warnings in the log and in the caller's logger, and the session continues", async () => {
    const names = [
      'onTurnStart',
      'onAssistantMessage',
      'onToolCall',
      'onMessagesUpdate',
      'onToolResult',
      'onBeforeSummarize',
      'onAfterSummarize',
    ];
    const error = vi.fn();
    const told: string[] = [];
    const throws = (name: string) => throwing(new Error(`${name} is broken`));
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
        callbacks: traced(
          told,
          Object.fromEntries([...names, 'onComplete'].map((name) => [name, throws(name)])),
        ),
      },
    );
    expect(await session).toMatchObject({ completionReason: 'task_complete', totalTurns: 2 });
    const warnings = session.run.log().flatMap((event) => (event.type === 'warning' ? [event.message] : []));
    expect(new Set(warnings)).toEqual(new Set(names.map((name) => `${name} threw: ${name} is broken`)));
    expect(error.mock.calls.at(-1)).toEqual([
      'onComplete threw: onComplete is broken',
      { sessionId: 's1', error: new Error('onComplete is broken') },
    ]);
  });

  test('include an onAfterSummarize that returns no list of messages', async () => {
    const { result, session } = await playSession(
      [calls(['search', { query: 'x'.repeat(4_000) }]), 'In short, x.', complete()],
      { tokenLimit: 900, callbacks: { onAfterSummarize: () => 'nonsense' as never } },
    );
    expect(short(result.messages)).toBe(
      'user, assistant, user, assistant(task_complete), tool(task_complete)',
    );
    expect(session.run.log().filter(({ type }) => type === 'warning')).toHaveLength(1);
  });
});

describe("A session's run", () => {
  test('has the arguments of task_complete as its result, and continues as a session', async () => {
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
    expect(await session).toBe(result);
  });

  test('has limits that cover all turns', async () => {
    const { result } = await playSession(
      [calls(['search', { query: 'a' }]), calls(['search', { query: 'b' }])],
      { limits: { toolCalls: 1 } },
    );
    expect(result).toMatchObject({
      completionReason: 'error',
      error: { code: 'budget_exceeded', details: { limit: 'toolCalls' } },
    });
  });

  test('fails if no turns are left, which is not an error of the session', async () => {
    const { result, session } = await playSession(['Hm.'], { maxTurns: 1 });
    expect(result.completionReason).toBe('max_turns');
    expect(result.error).toBeUndefined();
    expect(session.run.getState()).toMatchObject({
      status: 'error',
      error: { code: 'budget_exceeded', details: { limit: 'turns', allowed: 1 } },
    });
  });

  test('has no key in its log', async () => {
    const key = 'secret-key-0123456789';
    const model = scriptedModel([
      [{ throw: { message: `Bad key ${key}.`, status: 400 } }],
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
