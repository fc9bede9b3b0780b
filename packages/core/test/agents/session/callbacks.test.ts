import { runAgentSession, suspend, type AgentSession } from '@cueline/core/agents';
import { scriptedModel } from '@cueline/core/testing';
import type { ModelMessage } from 'ai';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { calls, json } from '../../support.ts';
import { complete, playSession, search, traced } from './sessions.ts';

const failing = {
  description: 'Fails',
  inputSchema: z.object({}),
  execute: async () => {
    throw new Error('the disk is full');
  },
};
const ask = {
  description: 'Ask the user',
  inputSchema: z.object({ question: z.string() }),
  execute: async ({ question }: { question: string }) => suspend({ question }),
};

/** The callbacks of a turn that completes the task, after the messages that are `kept`, in short. */
function completion(turn: number, kept: string, summary = 'All done.'): string[] {
  const called = `${kept}, assistant(task_complete)`;
  return [
    `onTurnStart ${turn}`,
    `onToolCall ${turn}: task_complete {"summary":"${summary}"}`,
    `onMessagesUpdate ${called}`,
    `onToolResult ${turn}: task_complete {"completed":true}`,
    `onMessagesUpdate ${called}, tool(task_complete)`,
    `onComplete task_complete in ${turn}`,
  ];
}

/** A session that continues from stored `messages` completes at once, and has no other callbacks. */
async function resumes(messages: readonly ModelMessage[], kept: string, config = {}) {
  const initialMessages = json([...messages]);
  const resumed = await playSession([complete('Resumed.')], { initialMessages, ...config });
  expect(resumed.told).toEqual(completion(1, kept, 'Resumed.'));
  return resumed;
}

describe('The order of callbacks, also in a session that resumes', () => {
  test('with a tool and then the end', async () => {
    const { told, result } = await playSession([
      [{ text: 'I look it up.' }, { toolCall: { name: 'search', input: { query: 'it' } } }],
      complete('Found it.'),
    ]);
    expect(told).toEqual([
      'onTurnStart 1',
      'onAssistantMessage 1: I look it up.',
      'onToolCall 1: search {"query":"it"}',
      'onMessagesUpdate user, assistant(search)',
      'onToolResult 1: search {"found":"it"}',
      'onMessagesUpdate user, assistant(search), tool(search)',
      ...completion(2, 'user, assistant(search), tool(search)', 'Found it.'),
    ]);
    await resumes(
      result.messages,
      'user, assistant(search), tool(search), assistant(task_complete), tool(task_complete)',
    );
  });

  test('with two tools at once: the calls in order, the results as they come', async () => {
    let endFirst = (): void => {};
    const second = new Promise<void>((resolve) => (endFirst = resolve));
    const execute = async ({ query }: { query: string }): Promise<{ found: string }> => {
      if (query === 'a') await second;
      else setTimeout(endFirst, 5);
      return { found: query };
    };
    const { told, result } = await playSession(
      [calls(['search', { query: 'a' }], ['search', { query: 'b' }]), complete()],
      { tools: { search: { ...search, execute } } },
    );
    expect(told).toEqual([
      'onTurnStart 1',
      'onToolCall 1: search {"query":"a"}',
      'onToolCall 1: search {"query":"b"}',
      'onMessagesUpdate user, assistant(search search)',
      'onToolResult 1: search {"found":"b"}',
      'onToolResult 1: search {"found":"a"}',
      'onMessagesUpdate user, assistant(search search), tool(search search)',
      ...completion(2, 'user, assistant(search search), tool(search search)'),
    ]);
    await resumes(result.messages.slice(0, 3), 'user, assistant(search search), tool(search search)');
  });

  test('with a tool that fails', async () => {
    const { told, result } = await playSession([calls(['failing']), complete()], { tools: { failing } });
    expect(told).toEqual([
      'onTurnStart 1',
      'onToolCall 1: failing {}',
      'onMessagesUpdate user, assistant(failing)',
      'onError 1: tool_execution failing the disk is full',
      'onMessagesUpdate user, assistant(failing), tool(failing!)',
      ...completion(2, 'user, assistant(failing), tool(failing!)'),
    ]);
    await resumes(result.messages.slice(0, 3), 'user, assistant(failing), tool(failing!)');
  });

  test('with invalid arguments and an unknown tool', async () => {
    const { told, result } = await playSession([
      calls(['search', { question: 1 }], ['search', '{"que'], ['serach', { query: 'x' }]),
      calls(['task_complete', { text: 'done' }]),
      complete(),
    ]);
    expect(told).toEqual([
      'onTurnStart 1',
      'onToolCall 1: search {"question":1}',
      'onToolCall 1: search "{\\"que"',
      'onToolCall 1: serach {"query":"x"}',
      'onMessagesUpdate user, assistant(search search serach)',
      'onError 1: tool_parsing search AI_InvalidToolInputError: Invalid input ',
      'onError 1: tool_parsing search AI_InvalidToolInputError: Invalid input ',
      'onError 1: tool_parsing serach AI_NoSuchToolError: Model tried to call ',
      'onMessagesUpdate user, assistant(search search serach), tool(search! search! serach!)',
      'onTurnStart 2',
      'onToolCall 2: task_complete {"text":"done"}',
      'onMessagesUpdate user, assistant(search search serach), tool(search! search! serach!), assistant(task_complete)',
      'onError 2: tool_parsing task_complete AI_InvalidToolInputError: Invalid input ',
      'onMessagesUpdate user, assistant(search search serach), tool(search! search! serach!), assistant(task_complete), tool(task_complete!)',
      ...completion(
        3,
        'user, assistant(search search serach), tool(search! search! serach!), assistant(task_complete), tool(task_complete!)',
      ),
    ]);
    await resumes(
      result.messages.slice(0, 5),
      'user, assistant(search search serach), tool(search! search! serach!), assistant(task_complete), tool(task_complete!)',
    );
  });

  test('with idle turns: one nudge, then the reminder, and a new count after work', async () => {
    const { told, result } = await playSession([
      'Hm.',
      'Well.',
      'So.',
      calls(['search', { query: 'x' }]),
      'Ah.',
      complete(),
    ]);
    expect(told).toEqual([
      'onTurnStart 1',
      'onAssistantMessage 1: Hm.',
      'onMessagesUpdate user, assistant, user',
      'onTurnStart 2',
      'onAssistantMessage 2: Well.',
      'onMessagesUpdate user, assistant, user, assistant, user',
      'onTurnStart 3',
      'onAssistantMessage 3: So.',
      'onMessagesUpdate user, assistant, user, assistant, user, assistant, user',
      'onTurnStart 4',
      'onToolCall 4: search {"query":"x"}',
      'onMessagesUpdate user, assistant, user, assistant, user, assistant, user, assistant(search)',
      'onToolResult 4: search {"found":"x"}',
      'onMessagesUpdate user, assistant, user, assistant, user, assistant, user, assistant(search), tool(search)',
      'onTurnStart 5',
      'onAssistantMessage 5: Ah.',
      'onMessagesUpdate user, assistant, user, assistant, user, assistant, user, assistant(search), tool(search), assistant, user',
      ...completion(
        6,
        'user, assistant, user, assistant, user, assistant, user, assistant(search), tool(search), assistant, user',
      ),
    ]);
    expect(result.messages.filter(({ role }) => role === 'user').map(({ content }) => content))
      .toMatchInlineSnapshot(`
      [
        "Please begin.",
        "Please continue.",
        "REMINDER: If you have completed your task, you must call the task_complete tool with a summary. If you are not done yet, please continue working.",
        "Please continue.",
        "Please continue.",
      ]
    `);
    const resumed = await resumes(result.messages.slice(0, 2), 'user, assistant, user');
    expect(resumed.result.messages[2]).toEqual({ role: 'user', content: 'Please continue.' });
  });

  test('with a summary', async () => {
    const { told, result } = await playSession(
      [calls(['search', { query: 'x'.repeat(2_000) }]), 'It was about x.', complete()],
      { tokenLimit: 600 },
    );
    expect(told).toEqual([
      'onTurnStart 1',
      'onToolCall 1: search {"query":"xxxxxxxxxxxxxxxxxxxxxxxxxxxxx…',
      'onMessagesUpdate user, assistant(search)',
      'onToolResult 1: search {"found":"xxxxxxxxxxxxxxxxxxxxxxxxxxx…',
      'onMessagesUpdate user, assistant(search), tool(search)',
      'onBeforeSummarize user, assistant(search), tool(search)',
      'onAfterSummarize user, assistant',
      'onMessagesUpdate user, assistant, user',
      ...completion(2, 'user, assistant, user'),
    ]);
    await resumes(result.messages.slice(0, 3), 'user, assistant, user');
  });

  test('without turns left', async () => {
    const { told, result } = await playSession(['Hm.', calls(['search', { query: 'x' }])], { maxTurns: 2 });
    expect(told).toEqual([
      'onTurnStart 1',
      'onAssistantMessage 1: Hm.',
      'onMessagesUpdate user, assistant, user',
      'onTurnStart 2',
      'onToolCall 2: search {"query":"x"}',
      'onMessagesUpdate user, assistant, user, assistant(search)',
      'onToolResult 2: search {"found":"x"}',
      'onMessagesUpdate user, assistant, user, assistant(search), tool(search)',
      'onComplete max_turns in 2',
    ]);
    await resumes(result.messages, 'user, assistant, user, assistant(search), tool(search)', { maxTurns: 1 });
  });

  test('with task_complete in the same answer as another tool', async () => {
    const { told, result } = await playSession([
      calls(['task_complete', { summary: 'Done.' }], ['search', { query: 'last' }]),
    ]);
    expect(told).toEqual([
      'onTurnStart 1',
      'onToolCall 1: task_complete {"summary":"Done."}',
      'onToolCall 1: search {"query":"last"}',
      'onMessagesUpdate user, assistant(task_complete search)',
      'onToolResult 1: task_complete {"completed":true}',
      'onToolResult 1: search {"found":"last"}',
      'onMessagesUpdate user, assistant(task_complete search), tool(task_complete search)',
      'onComplete task_complete in 1',
    ]);
    await resumes(result.messages, 'user, assistant(task_complete search), tool(task_complete search)');
  });

  test('with a model call that fails once', async () => {
    const { told, result } = await playSession([
      [{ throw: { message: 'No such field.', status: 400 } }],
      complete(),
    ]);
    expect(told).toEqual([
      'onTurnStart 1',
      'onError 1: llm simulated.invalid did not accept the req',
      'onMessagesUpdate user, user',
      ...completion(2, 'user, user'),
    ]);
    await resumes(result.messages.slice(0, 2), 'user, user');
  });

  test('with a model call that fails for good', async () => {
    const { told } = await playSession([[{ throw: { message: 'Wrong key.', status: 401 } }]]);
    expect(told).toEqual([
      'onTurnStart 1',
      'onError 1: llm simulated.invalid refused the API key (4',
      'onComplete error in 1',
    ]);
  });

  test('with a question to the user', async () => {
    const { told, result } = await playSession(
      [calls(['ask', { question: 'Which one?' }, 'call-ask'], ['search', { query: 'x' }])],
      { tools: { search, ask } },
    );
    expect(told).toEqual([
      'onTurnStart 1',
      'onToolCall 1: ask {"question":"Which one?"}',
      'onToolCall 1: search {"query":"x"}',
      'onMessagesUpdate user, assistant(ask search)',
      'onToolResult 1: search {"found":"x"}',
      'onMessagesUpdate user, assistant(ask search), tool(search)',
      'onComplete suspended in 1',
    ]);
    await resumes(result.messages, 'user, assistant(ask search), tool(search ask)', {
      answers: { 'call-ask': 'the red one' },
    });
  });

  test('with a stop in the middle of a tool', async () => {
    const model = scriptedModel([calls(['search', { query: 'x' }], ['wait'])]);
    const told: string[] = [];
    const session: AgentSession = runAgentSession(model, {
      systemPrompt: '',
      tools: {
        search,
        wait: { inputSchema: z.object({}), execute: () => new Promise(() => {}) },
      },
      callbacks: traced(told, { onToolResult: () => session.stop() }),
    });
    const result = await session;
    expect(told).toEqual([
      'onTurnStart 1',
      'onToolCall 1: search {"query":"x"}',
      'onToolCall 1: wait {}',
      'onMessagesUpdate user, assistant(search wait)',
      'onToolResult 1: search {"found":"x"}',
      'onMessagesUpdate user, assistant(search wait), tool(search)',
      'onComplete stopped in 1',
    ]);
    await resumes(result.messages, 'user, assistant(search wait), tool(search wait!)');
  });
});
