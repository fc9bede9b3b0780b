import type { LanguageModelV4StreamPart } from '@ai-sdk/provider';
import { tool } from '@cueline/core';
import { defineAgent, tags, type CallErrorDetails } from '@cueline/core/agents';
import { scriptedModel, type ScriptedTurn } from '@cueline/core/testing';
import { jsonSchema, tool as sdkTool } from 'ai';
import { describe, expect, test, vi } from 'vitest';
import * as z from 'zod';
import { throwing } from '../../support.ts';
import { finish, provider, text } from '../../support/scripted-provider.ts';
import { faultOf, lines, look, looks, talks } from './calls.ts';

describe('An interrupt', () => {
  test('stays in the dialog with the text of onInterrupt', async () => {
    const model = scriptedModel([
      [...(looks('a') as object[]), ...(looks('b') as object[])] as ScriptedTurn,
      '<answer>x</answer>',
    ]);
    const agent = defineAgent({
      ...talks,
      tools: [look],
      output: tags(['answer']),
      onInterrupt: 'You have {call_results}',
    });
    const { dialog } = await agent.call('Hi.', { model });
    const expected = [
      'user: Hi.',
      'assistant: look({"at":"a"}) look({"at":"b"})',
      'tool: = "seen a" = "seen b"',
      'user: You have look {"at":"a"}: seen a\nlook {"at":"b"}: seen b',
    ];
    expect(lines(model.calls[1]!.prompt).slice(1)).toEqual(expected);
    expect(lines(dialog.messages)).toEqual([...expected, 'assistant: <answer>x</answer>']);
  });

  test('passes the calls of its round to onInterrupt, which need not return a text', async () => {
    const onInterrupt = vi.fn().mockReturnValueOnce(undefined).mockReturnValueOnce('Hurry.');
    const agent = defineAgent({ ...talks, tools: [look], onInterrupt });
    const model = scriptedModel([looks('a'), looks('b'), 'Done.']);
    const { dialog } = await agent.call('Hi.', { model });
    expect(onInterrupt.mock.calls).toEqual([
      [
        {
          call_results: [{ toolCallId: 'call-0-0', toolName: 'look', input: { at: 'a' }, output: 'seen a' }],
          interrupt: 1,
          remaining: 4,
        },
      ],
      [
        {
          call_results: [{ toolCallId: 'call-1-0', toolName: 'look', input: { at: 'b' }, output: 'seen b' }],
          interrupt: 2,
          remaining: 3,
        },
      ],
    ]);
    expect(lines(dialog.messages)[5]).toBe('user: Hurry.');
  });

  test('ends the call if onInterrupt throws, and the dialog keeps the round', async () => {
    const agent = defineAgent({
      ...talks,
      tools: [look],
      onInterrupt: throwing(new Error('no words')),
    });
    const error = await faultOf(agent.call('Hi.', { model: scriptedModel([looks('a')]) }));
    expect(error).toMatchObject({
      code: 'script_error',
      message: 'onInterrupt of agent "it" threw: no words',
      details: { state: 'interrupted', event: 'broken', interrupts: 1 },
    });
    expect((error.details as CallErrorDetails).dialog.messages).toHaveLength(3);
  });

  test('asks for the final response, without tool calls, if it is the last one', async () => {
    const ran: string[] = [];
    const noted = tool('look', 'Look', z.object({ at: z.string() }), ({ at }) => ran.push(at));
    const agent = defineAgent({
      ...talks,
      tools: [noted],
      maxInterrupts: 2,
      onInterrupt: ({ remaining }) => `${remaining} left.`,
    });
    const model = scriptedModel([looks('a'), looks('b'), looks('c'), 'Done.']);
    const { dialog, calls, attempts } = await agent.call('Hi.', { model });
    expect(ran).toEqual(['a', 'b']);
    expect(model.calls.map(({ toolChoice }) => toolChoice?.type)).toEqual(['auto', 'auto', 'none', 'none']);
    expect(model.calls.every(({ tools }) => tools?.length === 1)).toBe(true);
    expect(lines(model.calls[3]!.prompt).slice(-2)).toEqual([
      'user: 0 left.\n\nPlease provide your final response.',
      'user: Your answer could not be used: it calls look, and no tool can be called any more.\nPlease give the whole answer again, and nothing else.',
    ]);
    expect(lines(dialog.messages).slice(-2)).toEqual([
      'user: 0 left.\n\nPlease provide your final response.',
      'assistant: Done.',
    ]);
    expect([calls.length, attempts]).toEqual([2, 2]);
  });

  test('never happens with maxInterrupts 0: no tool is called', async () => {
    const agent = defineAgent({ ...talks, tools: [look], maxInterrupts: 0 });
    const model = scriptedModel([looks('a'), 'Done.']);
    const { calls, attempts } = await agent.call('Hi.', { model });
    expect([calls, attempts]).toEqual([[], 2]);
    expect(model.calls[0]!.toolChoice?.type).toBe('none');
  });

  test('is not caused by a tool of the provider, even with maxInterrupts 0', async () => {
    const agent = defineAgent({ ...talks, tools: [look], maxInterrupts: 0 });
    const chunks: LanguageModelV4StreamPart[] = [
      { type: 'tool-input-start', id: 'w', toolName: 'web_search', providerExecuted: true },
      { type: 'tool-input-end', id: 'w' },
      { type: 'tool-call', toolCallId: 'w', toolName: 'web_search', input: '{}', providerExecuted: true },
      { type: 'tool-result', toolCallId: 'w', toolName: 'web_search', result: { hits: 1 } },
      ...text('Done.'),
      finish('stop'),
    ];
    const { output, attempts, dialog } = await agent.call('Hi.', { model: provider([chunks]).model });
    expect([output, attempts]).toEqual(['Done.', 1]);
    expect(lines(dialog.messages)).toEqual(['user: Hi.', 'assistant: Done.']);
  });

  test('does not count if it was refused in an answer that was cut off', async () => {
    const agent = defineAgent({ ...talks, tools: [look], maxInterrupts: 0 });
    const model = scriptedModel([
      [
        { toolCall: { name: 'look', input: { at: 'a' } } },
        { error: { type: 'overloaded_error', message: 'busy' } },
      ],
      'Done.',
    ]);
    const { attempts, run } = await agent.call('Hi.', { model });
    expect([attempts, model.calls.length]).toEqual([1, 2]);
    expect(run?.log().filter(({ type }) => type === 'retry')).toHaveLength(1);
  });

  test('answers a repeated call with a note, and runs a failed one again', async () => {
    let runs = 0;
    const flaky = tool('flaky', 'Fails at first', z.object({}), () => {
      runs += 1;
      if (runs === 1) throw new Error('not yet');
      return runs;
    });
    const agent = defineAgent({ ...talks, tools: [flaky, look], maxInterrupts: 9 });
    const flakes: ScriptedTurn = [{ toolCall: { name: 'flaky' } }];
    const model = scriptedModel([flakes, flakes, looks('a'), flakes, 'Done.']);
    const { calls } = await agent.call('Hi.', { model });
    expect(calls).toEqual([
      { toolCallId: 'call-0-0', toolName: 'flaky', input: {}, error: 'Error: not yet' },
      { toolCallId: 'call-1-0', toolName: 'flaky', input: {}, output: 2 },
      { toolCallId: 'call-2-0', toolName: 'look', input: { at: 'a' }, output: 'seen a' },
      { toolCallId: 'call-3-0', toolName: 'flaky', input: {}, output: 2, repeated: true },
    ]);
    expect(runs).toBe(2);
  });

  test('contains an error for an unknown tool or invalid arguments', async () => {
    const agent = defineAgent({ ...talks, tools: [look] });
    const model = scriptedModel([
      [{ toolCall: { name: 'fly' } }],
      [{ toolCall: { name: 'look', input: { where: 1 } } }],
      'Done.',
    ]);
    const { calls, dialog } = await agent.call('Hi.', { model });
    expect(calls.map(({ toolName, error }) => [toolName, typeof error])).toEqual([
      ['fly', 'string'],
      ['look', 'string'],
    ]);
    expect(dialog.messages.map(({ role }) => role)).toEqual([
      'user',
      'assistant',
      'tool',
      'assistant',
      'tool',
      'assistant',
    ]);
  });

  test('also runs tools of the AI SDK', async () => {
    const add = sdkTool({
      inputSchema: jsonSchema<{ a: number }>({ type: 'object' }),
      execute: async ({ a }) => a + 1,
    });
    const agent = defineAgent({ ...talks, tools: { add } });
    const model = scriptedModel([[{ toolCall: { name: 'add', input: { a: 1 } } }], 'Two.']);
    const { calls } = await agent.call('Hi.', { model });
    expect(calls).toEqual([{ toolCallId: 'call-0-0', toolName: 'add', input: { a: 1 }, output: 2 }]);
  });
});

test('Each step of a call logs only the messages that are new in it', async () => {
  const agent = defineAgent({ ...talks, tools: [look], maxInterrupts: 9 });
  const model = scriptedModel([looks('a'), looks('b'), looks('c'), 'Done.']);
  const { run } = await agent.call('Hi.', { model });
  const kept = run!.log().flatMap((event) => (event.type === 'step-start' ? [event.request.keep] : []));
  expect(kept).toEqual([0, 1, 3, 5]);
});
