import { createAnthropic } from '@ai-sdk/anthropic';
import { createRun, definePrompt, reduceAll, type PromptDefinition, type RunEvent } from '@cueline/core';
import { defineAgent, runAgentSession } from '@cueline/core/agents';
import { advance } from '@cueline/core/durable';
import { expect, test } from 'vitest';
import * as z from 'zod';
import { createServerSideEvents } from '../support/server-sent-events.ts';

type Block = Record<string, unknown> & { type: string };
type Turn = { blocks: Block[]; stop: string };
type Sent = { messages: { role: string; content: { type: string; text?: string }[] }[] };

const question: Block = {
  type: 'server_tool_use',
  id: 'srv_1',
  name: 'web_search',
  input: { query: 'ferry' },
};
const found: Block = { type: 'web_search_tool_result', tool_use_id: 'srv_1', content: [] };
const text = (said: string): Block => ({ type: 'text', text: said });
const paused = (...blocks: Block[]): Turn => ({ blocks, stop: 'pause_turn' });
const ended = (...blocks: Block[]): Turn => ({ blocks, stop: 'end_turn' });

/** Anthropic's API with these answers, and what it was sent. */
function anthropic(turns: Turn[]) {
  const sent: Sent[] = [];
  const provider = createAnthropic({
    apiKey: 'test',
    fetch: async (_url, init) => {
      const { blocks, stop } = turns[sent.length] ?? ended(text('That is all.'));
      sent.push(JSON.parse(init?.body as string) as Sent);
      const usage = { input_tokens: 3, output_tokens: 4 };
      return createServerSideEvents(
        [
          {
            type: 'message_start',
            message: { id: 'm', type: 'message', role: 'assistant', model: 'claude', content: [], usage },
          },
          ...blocks.flatMap((block, index) => [
            {
              type: 'content_block_start',
              index,
              content_block:
                block.type === 'text'
                  ? { ...block, text: '' }
                  : { ...block, ...(block['input'] === undefined ? {} : { input: {} }) },
            },
            ...(block.type === 'text'
              ? [{ type: 'content_block_delta', index, delta: { type: 'text_delta', text: block['text'] } }]
              : []),
            ...(block['input'] === undefined
              ? []
              : [
                  {
                    type: 'content_block_delta',
                    index,
                    delta: { type: 'input_json_delta', partial_json: JSON.stringify(block['input']) },
                  },
                ]),
            { type: 'content_block_stop', index },
          ]),
          { type: 'message_delta', delta: { stop_reason: stop }, usage },
          { type: 'message_stop' },
        ],
        [],
      );
    },
  });
  return {
    model: provider('claude-sonnet-4-5'),
    tools: { web_search: provider.tools.webSearch_20250305() },
    sent,
  };
}

const ask = definePrompt('ask', (prompt) => prompt.$`When does the ferry leave?`);

const types = ({ messages }: Sent): unknown =>
  messages.map(({ role, content }) => [role, ...content.map(({ type }) => type)]);

test.each([
  ['after a search', [text('Let me look.'), question, found], [text('At nine.')]],
  ['inside a search', [text('Let me look.'), question], [found, text('At nine.')]],
])('an answer that Anthropic pauses %s continues in another step', async (_where, before, after) => {
  const { model, tools, sent } = anthropic([paused(...before), ended(...after)]);
  const run = createRun(ask, { model, options: { tools } });
  expect(await run.start()).toBe('At nine.');
  expect(run.getState().steps).toHaveLength(2);
  expect(run.getState().toolCalls).toMatchObject([{ toolName: 'web_search', state: 'output-available' }]);
  expect(sent).toHaveLength(2);
  // the next call ends with the paused answer, unchanged
  expect(types(sent[1]!)).toEqual([
    ['user', 'text'],
    ['assistant', ...before.map(({ type }) => type)],
  ]);
});

test('an answer that is paused again and again ends at the limit of steps', async () => {
  const { model, tools, sent } = anthropic(Array.from({ length: 9 }, () => paused(text('Let me look.'))));
  const run = createRun(ask, { model, options: { tools, limits: { steps: 3 } } });
  await expect(run.start()).rejects.toMatchObject({ code: 'budget_exceeded' });
  expect(sent).toHaveLength(3);
});

test('a pause needs no tools of the prompt, and is not an answer that has to fit a schema', async () => {
  const { model, sent } = anthropic([paused(text('Let me look.')), ended(text('{"hour":9}'))]);
  const hour = definePrompt('hour', (prompt) => prompt.$`When?`, { output: z.object({ hour: z.number() }) });
  expect(await createRun(hour, { model }).start()).toEqual({ hour: 9 });
  expect(types(sent[1]!)).toEqual([
    ['user', 'text'],
    ['assistant', 'text'],
  ]);
});

test('an agent call and a session send no message of their own after a pause', async () => {
  const call = anthropic([paused(text('Let me look.'), question, found), ended(text('At nine.'))]);
  const agent = defineAgent({ name: 'clerk', instructions: 'Answer.', tools: call.tools });
  const { output } = await agent.call('When does the ferry leave?', { model: call.model });
  expect(output).toBe('At nine.');
  expect(types(call.sent[1]!)).toEqual([
    ['user', 'text'],
    ['assistant', 'text', 'server_tool_use', 'web_search_tool_result'],
  ]);
  const done: Block = { type: 'tool_use', id: 'c', name: 'task_complete', input: { summary: 'At nine.' } };
  const { model, tools, sent } = anthropic([
    paused(text('Let me look.')),
    { blocks: [done], stop: 'tool_use' },
  ]);
  const session = await runAgentSession(model, { systemPrompt: 'Answer.', initialMessage: 'When?', tools });
  expect(session).toMatchObject({ completionReason: 'task_complete', totalTurns: 2 });
  expect(types(sent[1]!)).toEqual([
    ['user', 'text'],
    ['assistant', 'text'],
  ]);
});

test.each<[string, PromptDefinition<never>]>([
  ['a prompt', ask],
  ['an agent call', defineAgent({ name: 'clerk', instructions: 'Answer.' })],
])(
  '%s that is advanced step by step continues a paused answer in another process',
  async (_what, definition) => {
    const { model, sent } = anthropic([paused(text('Let me look.')), ended(text('At nine.'))]);
    const events: RunEvent[] = [];
    const run = { runId: 'r', definition, input: 'When does the ferry leave?' as never, model };
    const step = () =>
      advance({ ...run, events: [...events] }, { append: async (more) => void events.push(...more) });
    expect([await step(), await step()]).toEqual([{ status: 'next' }, { status: 'done' }]);
    expect(reduceAll(events)).toMatchObject({ status: 'done', result: 'At nine.' });
    expect(types(sent[1]!)).toEqual([
      ['user', 'text'],
      ['assistant', 'text'],
    ]);
  },
);
