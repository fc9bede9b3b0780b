import type { LanguageModelV4StreamPart } from '@ai-sdk/provider';
import { reduceAll, runPrompt } from '@cueline/core';
import { isRunEvent } from '@cueline/core/link';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { finish, provider, text, toolCall } from '../support/scripted-provider.ts';

type Malformed = object;

/** Runs a prompt with a model whose first answer has these parts, and reads its log again. */
async function answer(parts: readonly Malformed[], last: Malformed = finish('tool-calls')) {
  const first = [...parts, last] as LanguageModelV4StreamPart[];
  const { run } = await runPrompt(
    (prompt) => {
      prompt.defTool('find', 'Finds', z.object({}), () => 'found');
      prompt.$`Hi.`;
    },
    { model: provider([first, [...text('Done.'), finish('stop')]]).model, options: { maxRetries: 0 } },
  );
  const state = await run.finished;
  const stored = JSON.parse(JSON.stringify(run.log())) as ReturnType<typeof run.log>;
  expect(stored.filter((event) => !isRunEvent(event))).toEqual([]);
  expect(reduceAll(stored).text).toBe(state.text);
  return state;
}

function without(part: object, ...names: string[]): Record<string, unknown> {
  return Object.fromEntries(Object.entries(part).filter(([name]) => !names.includes(name)));
}

describe('a malformed part of an answer', () => {
  test('without an id gets one', async () => {
    const calls = toolCall('').map((part) => without(part, 'id', 'toolCallId'));
    const { status, toolCalls, messages } = await answer([
      ...text('Wait. ').map((part) => without(part, 'id')),
      ...calls,
      ...calls,
      { type: 'source', sourceType: 'url', url: 'https://example.org' },
    ]);
    expect(status).toBe('done');
    expect(messages.at(-1)?.parts).toContainEqual({ type: 'text', text: 'Wait. ', state: 'done' });
    const ids = toolCalls.map(({ toolCallId }) => toolCallId);
    expect(ids).toEqual([expect.stringMatching(/^call-/), expect.stringMatching(/^call-/)]);
    expect(new Set(ids).size).toBe(2);
  });

  test('with counts of tokens that are not numbers loses them', async () => {
    const usage = { inputTokens: { total: '12' }, outputTokens: { total: 3 } };
    const last = { ...finish('tool-calls'), usage };
    for (const parts of [toolCall('a'), text('Hi.')]) {
      const { steps } = await answer(parts, last);
      expect(steps[0]?.usage).not.toHaveProperty('inputTokens');
      expect(steps[0]?.usage?.outputTokens).toBe(3);
    }
  });

  test('whose id is a number gets it as a text', async () => {
    const call = { type: 'tool-call', toolCallId: 7, toolName: 'find', input: '{}' };
    const { toolCalls } = await answer([call]);
    expect(toolCalls.map(({ toolCallId, output }) => [toolCallId, output])).toEqual([['7', 'found']]);
  });

  test('loses an optional member of a wrong type', async () => {
    const { status, toolCalls } = await answer([
      { type: 'source', sourceType: 'url', id: 's', url: 'https://example.org', title: null },
      { type: 'tool-call', toolCallId: 'a', toolName: 'find', input: '{}', providerExecuted: null },
    ]);
    expect([status, toolCalls[0]?.output]).toEqual(['done', 'found']);
  });

  test.each<[string, Malformed]>([
    ['a list as a part', []],
    ['a text-delta whose delta is undefined', { type: 'text-delta', id: 't', textDelta: 'Hi' }],
    ['a tool-call whose toolName is undefined', without(toolCall('a')[3]!, 'toolName')],
    ['a tool-call whose input is an object', { ...toolCall('a')[3], input: {} }],
    ["a source whose sourceType is 'book'", { type: 'source', sourceType: 'book', id: 's' }],
    ["a finish whose finishReason is 'stop'", { type: 'finish', finishReason: 'stop', usage: {} }],
    ['a file whose mediaType is undefined', { type: 'file', data: { type: 'data', data: 'aGk=' } }],
  ])('ends the run with an error that names it: %s', async (what, part) => {
    const { status, error } = await answer([...text('So.'), part]);
    expect([status, error?.code]).toEqual(['error', 'provider_error']);
    expect(error?.message).toContain(`The model sent ${what}, so its answer cannot be read.`);
  });
});
