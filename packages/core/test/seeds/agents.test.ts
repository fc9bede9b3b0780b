import { createMCPClient } from '@ai-sdk/mcp';
import { createOpenAI } from '@ai-sdk/openai';
// Agents, section by section.
import { createRun, tool } from '@cueline/core';
import { defineAgent, tags } from '@cueline/core/agents';
import { scriptedModel } from '@cueline/core/testing';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { faultOf, lines } from '../agents/call/calls.ts';
import { startHttpNotes } from '../mcp/http.ts';
import { chat, startServer } from '../models/chat-server.ts';
import { call } from '../support.ts';

const stock = tool(
  'stock',
  'How many of an item are in stock',
  z.object({ item: z.string() }),
  ({ item }) => ({ item, left: item.length }),
  { effect: 'read' },
);

const clerk = defineAgent({
  name: 'clerk',
  instructions: 'You answer for the shop.',
  tools: [stock],
  output: tags({ required: ['answer'], optional: ['advice'] }),
});

describe('State machine lifecycle', () => {
  test('seed, invocation, call, tools, correction, completion', async () => {
    const model = scriptedModel([
      [call('stock', { item: 'nails' }), call('stock', { item: 'screws' })],
      'Nails: 5, screws: 6.',
      '<answer>11</answer>',
    ]);
    const run = createRun(clerk, { model });
    expect(await run.start('How many together?')).toEqual({ answer: '11' });
    const state = run.getState();
    expect(state).toMatchObject({ status: 'done', name: 'clerk' });
    expect(state.steps.map(({ steered }) => steered?.map(({ cause }) => cause))).toEqual([
      undefined,
      undefined,
      ['correction'],
    ]);
    expect(model.calls.map(({ prompt }) => prompt.length)).toEqual([2, 4, 6]);
    expect(lines(model.calls[0]!.prompt)).toEqual([
      'system: You answer for the shop.\n\nWrite your answer in these tags: <answer>…</answer>. Where it is of use, add: <advice>…</advice>.',
      'user: How many together?',
    ]);
  });

  test('a failing server is retried after a delay, and a server that refuses the key is not', async () => {
    let requests = 0;
    await using server = await startServer((response) => {
      requests += 1;
      if (requests === 1) return void response.writeHead(503, { 'retry-after-ms': '5' }).end('{}');
      chat(response, ['<answer>', '5</answer>']);
    });
    const model = createOpenAI({ baseURL: server.url, apiKey: 'none' }).chat('gpt-4o');
    const { output, attempts, run } = await clerk.call('How many nails?', { model });
    expect([output, attempts, requests]).toEqual([{ answer: '5' }, 1, 2]);
    expect(run?.log().filter(({ type }) => type === 'retry')).toMatchObject([
      { error: { details: { statusCode: 503 } }, attempt: 2, maxAttempts: 3 },
    ]);

    await using closed = await startServer((response) => void response.writeHead(401).end('{}'));
    const refused = createOpenAI({ baseURL: closed.url, apiKey: 'none' }).chat('gpt-4o');
    const error = await faultOf(clerk.call('How many nails?', { model: refused }));
    expect(error).toMatchObject({ code: 'auth', details: { state: 'asking', event: 'broken', attempts: 0 } });
    expect(closed.seen).toHaveLength(1);
  });
});

describe('Interrupt vs. exception handling', () => {
  const bank = defineAgent({
    name: 'bank',
    instructions: 'You keep accounts.',
    tools: [tool('balance', 'The balance', z.object({ of: z.string() }), ({ of }) => of.length * 100)],
    output: z.object({ total: z.number() }),
    onException: 'That is no total: {error_message} Write {"total": …}.',
    onInterrupt: ({ call_results, remaining }) =>
      `You know ${call_results.map(({ output }) => output).join(' and ')}; you may ask ${remaining} times more.`,
    maxInterrupts: 2,
  });

  test('exceptions are pruned, interrupts remain, and the last interrupt asks for the final response', async () => {
    const model = scriptedModel([
      'Let me think.',
      [call('balance', { of: 'Ada' })],
      [call('balance', { of: 'Grace' })],
      [call('balance', { of: 'Joan' })],
      '{"total":"many"}',
      '{"total":800}',
    ]);
    const { output, dialog, attempts, calls } = await bank.call('What do they have?', { model });
    expect([output, attempts, calls.length]).toEqual([{ total: 800 }, 4, 2]);
    expect(lines(model.calls[1]!.prompt).slice(2)).toEqual([
      'assistant: Let me think.',
      expect.stringMatching(/^user: That is no total: it is not JSON .* Write \{"total": …\}\.$/s) as string,
    ]);
    expect(lines(dialog.messages)).toEqual([
      'user: What do they have?',
      'assistant: balance({"of":"Ada"})',
      'tool: = 300',
      'user: You know 300; you may ask 1 times more.',
      'assistant: balance({"of":"Grace"})',
      'tool: = 500',
      'user: You know 500; you may ask 0 times more.\n\nPlease provide your final response.',
      'assistant: {"total":800}',
    ]);
    expect(model.calls.map(({ toolChoice }) => toolChoice?.type)).toEqual([
      'auto',
      'auto',
      'auto',
      'none',
      'none',
      'none',
    ]);
    expect(new Set(model.calls.map(({ tools }) => tools?.length))).toEqual(new Set([1]));
  });

  test('corrections ask for the same format with the same tools', async () => {
    const model = scriptedModel(['no', [call('balance', { of: 'Ada' })], 'no', '{"total":300}']);
    await bank.call('What does Ada have?', { model });
    const asked = model.calls.map(({ responseFormat, tools }) => [responseFormat?.type, tools?.[0]?.name]);
    expect(asked).toEqual(Array.from({ length: 4 }, () => ['json', 'balance']));
  });
});

describe('XML and Markdown tags', () => {
  test('the format survives corrections and rounds of tool calls, with a tag that repeats', async () => {
    const analyst = defineAgent({
      name: 'analyst',
      instructions: 'You analyse the stock.',
      tools: [stock],
      output: tags({
        required: ['finding', 'json'],
        optional: ['warning', 'sql'],
        lists: ['finding', 'warning'],
        markdown: ['json', 'sql'],
      }),
    });
    const model = scriptedModel([
      [call('stock', { item: 'nails' })],
      '<finding>There are nails.</finding>',
      'I see.\n<finding>There are nails.</finding>\n<finding>There are 5.</finding>\n```json\n{"nails":5}\n```',
    ]);
    const { output, attempts, dialog } = await analyst.call('What is there?', { model });
    expect(output).toEqual({
      finding: ['There are nails.', 'There are 5.'],
      json: '{"nails":5}',
      warning: [],
    });
    expect(attempts).toBe(2);
    expect(dialog.messages).toHaveLength(4);
    expect(JSON.stringify(model.calls[2]!.prompt)).toContain('```json is missing');
    for (const { prompt } of model.calls) {
      expect(prompt[0]).toMatchObject({ content: expect.stringContaining('```json … ```') });
    }
  });
});

describe('Function calls, MCP, and tools', () => {
  test('the tools of an MCP server are tools of an agent', async () => {
    await using server = await startHttpNotes();
    const client = await createMCPClient({ transport: { type: 'http', url: server.url } });
    try {
      const agent = defineAgent({
        name: 'notes',
        instructions: 'You keep notes.',
        tools: await client.tools(),
      });
      const model = scriptedModel([
        [call('add_note', { title: 'Milk' })],
        [call('remove_note', { id: 77 })],
        'Noted.',
      ]);
      const { calls, output } = await agent.call('Milk!', { model });
      expect(output).toBe('Noted.');
      expect(calls.map(({ toolName }) => toolName)).toEqual(['add_note', 'remove_note']);
      expect(calls[0]).toMatchObject({ output: { structuredContent: { id: 1, notes: 1 } } });
      expect(JSON.stringify(calls[1])).toContain('There is no note 77.');
    } finally {
      await client.close();
    }
  });

  test('the tools that the provider runs itself, such as web search, are tools of an agent', async () => {
    const openai = createOpenAI({ apiKey: 'none' });
    const agent = defineAgent({
      name: 'news',
      instructions: 'You know the news.',
      tools: { web_search: openai.tools.webSearch({}) },
    });
    const model = scriptedModel(['Nothing new.']);
    expect((await agent.call('Well?', { model })).output).toBe('Nothing new.');
    expect(model.calls[0]?.tools).toMatchObject([{ type: 'provider', id: 'openai.web_search' }]);
  });
});
