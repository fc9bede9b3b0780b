// Agents, section by section.
import { createRun, tool } from '@cueline/core';
import { classify, defineAgent, tags, type CallErrorDetails } from '@cueline/core/agents';
import { createDialog } from '@cueline/core/agents';
import { scriptedModel } from '@cueline/core/testing';
import { createMCPClient } from '@ai-sdk/mcp';
import { createOpenAI } from '@ai-sdk/openai';
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

describe('LLM call vs. agent call', () => {
  test('the caller gets the output, the dialog to continue and the trace of the calls', async () => {
    const model = scriptedModel([
      [call('stock', { item: 'nails' })],
      'There are <answer>5</answer> of them. <advice>Order soon.</advice>',
    ]);
    const dialog = createDialog([
      { role: 'user', content: 'Hello.' },
      { role: 'assistant', content: 'Hello!' },
    ]);
    const result = await clerk.call('How many nails?', { model, dialog });
    expect(result.output).toEqual({ answer: '5', advice: 'Order soon.' });
    expect(lines(result.dialog.messages)).toEqual([
      'user: Hello.',
      'assistant: Hello!',
      'user: How many nails?',
      'assistant: stock({"item":"nails"})',
      'tool: = {"item":"nails","left":5}',
      'assistant: There are <answer>5</answer> of them. <advice>Order soon.</advice>',
    ]);
    expect(result.calls).toEqual([
      {
        toolCallId: 'call-0-0',
        toolName: 'stock',
        input: { item: 'nails' },
        output: { item: 'nails', left: 5 },
      },
    ]);
    expect(dialog.messages).toHaveLength(2);
  });

  test('there is a next state, or an error that names the final state', async () => {
    const model = scriptedModel(['5', '5!', '5?', 'Five.']);
    const error = await faultOf(clerk.call('How many nails?', { model }));
    expect(error.code).toBe('parse_failed');
    const { dialog, ...state } = error.details as CallErrorDetails;
    expect(state).toEqual({
      state: 'correcting',
      event: 'unreadable',
      attempts: 4,
      exceptions: 4,
      interrupts: 0,
      calls: [],
    });
    // another model goes on from there
    const second = await clerk.call('Please.', { model: scriptedModel(['<answer>5</answer>']), dialog });
    expect(second.output).toEqual({ answer: '5' });
    expect(second.dialog.messages).toHaveLength(3);
  });
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
      if (requests === 1) return void response.writeHead(503).end('{}');
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
  test('a call is tracked with its arguments, its result or its error, and whether it was a repetition', async () => {
    let runs = 0;
    const agent = defineAgent({
      name: 'meter',
      instructions: 'You read meters.',
      tools: [
        tool('read', 'Read a meter', z.object({ at: z.string(), unit: z.string() }), ({ at }) => {
          runs += 1;
          if (at === 'attic') throw new Error('the attic is locked');
          return runs;
        }),
      ],
    });
    const model = scriptedModel([
      [call('read', { at: 'hall', unit: 'kWh' })],
      [call('read', { at: 'attic', unit: 'kWh' })],
      [call('read', { unit: 'kWh', at: 'hall' })],
      [call('read', { at: 'attic', unit: 'kWh' }), call('burn')],
      'It says 1.',
    ]);
    const { calls, dialog } = await agent.call('Read them.', { model });
    expect(calls).toMatchObject([
      { toolName: 'read', input: { at: 'hall', unit: 'kWh' }, output: 1 },
      { toolName: 'read', input: { at: 'attic', unit: 'kWh' }, error: 'Error: the attic is locked' },
      { toolName: 'read', input: { unit: 'kWh', at: 'hall' }, output: 1, repeated: true },
      { toolName: 'read', input: { at: 'attic', unit: 'kWh' }, error: 'Error: the attic is locked' },
      { toolName: 'burn', input: {}, error: expect.stringContaining('burn') as string },
    ]);
    expect(runs).toBe(3);
    expect(lines(dialog.messages)[6]).toMatch(/read was not run again/);
  });

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

describe('Classification helpers', () => {
  const desks = ['billing', 'shipping', 'other'] as const;

  test('one word of a list, corrected if it is not in the list', async () => {
    const model = scriptedModel(['I would say shipping.', 'Shipping']);
    const result = await classify('Where is my parcel?', desks, { model, instructions: 'Sort the mail.' });
    expect(result).toEqual({ label: 'shipping', source: 'label' });
    expect(lines(model.calls[1]!.prompt).at(-1)).toBe(
      'user: Please respond with one and only one word from [billing, shipping, other]',
    );
  });

  test('how sure the model is, from its tokens', async () => {
    const top = { yes: 0.6, Yes: 0.2, no: 0.1, Maybe: 0.1 };
    const top_logprobs = Object.entries(top).map(([token, share]) => ({
      token,
      logprob: Math.log(share),
      bytes: null,
    }));
    const place = { token: 'yes', logprob: Math.log(0.6), bytes: null, top_logprobs };
    await using server = await startServer((response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      const send = (choice: object): void =>
        void response.write(
          `data: ${JSON.stringify({ id: 'c', model: 'm', choices: [{ index: 0, ...choice }] })}\n\n`,
        );
      send({ delta: { role: 'assistant', content: 'yes' }, logprobs: { content: [place], refusal: null } });
      send({ delta: {}, finish_reason: 'stop' });
      response.end('data: [DONE]\n\n');
    });
    const model = createOpenAI({ baseURL: server.url, apiKey: 'none' }).chat('gpt-4o');
    const { value, probability, source } = await clerk.classifyBinary('Is the customer angry?', { model });
    expect([value, probability?.toFixed(3), source]).toEqual([true, '0.889', 'logprobs']);
    expect(server.seen[0]?.body).toMatchObject({
      logprobs: true,
      messages: [{ role: 'system' }, { role: 'user' }],
    });
  });

  test('the share of its answers if the model reports no probabilities', async () => {
    const model = scriptedModel(['other', 'billing', 'billing', 'billing']);
    expect(await clerk.classify('My bill is lost.', desks, { model, samples: 4 })).toEqual({
      label: 'billing',
      probabilities: { billing: 0.75, shipping: 0, other: 0.25 },
      source: 'samples',
    });
  });
});
