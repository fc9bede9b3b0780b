import { CuelineError } from '@cueline/core';
import { scriptedModel, type ScriptedTurn } from '@cueline/core/testing';
import { isStepCount, streamText, tool } from 'ai';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';

const getWeather = tool({
  inputSchema: z.object({ city: z.string() }),
  execute: async ({ city }) => `sunny in ${city}`,
});

async function play(turns: readonly ScriptedTurn[], options = {}) {
  const model = scriptedModel(turns, options);
  const result = streamText({
    model,
    prompt: 'Hello',
    tools: { getWeather },
    stopWhen: isStepCount(turns.length),
    maxRetries: 0,
    onError() {},
  });
  const parts = [];
  for await (const part of result.stream) parts.push(part);
  return { model, parts };
}

describe('scriptedModel', () => {
  test('streams text, reasoning and tool calls, in order and in pieces', async () => {
    const { parts, model } = await play(
      [
        [
          { reasoning: 'Which city?' },
          'Let me see.',
          { toolCall: { name: 'getWeather', input: { city: 'Faro' } }, chunkSize: 8 },
        ],
        [{ text: 'It is sunny 🙂🙂', chunkSize: 12, delay: 2 }],
      ],
      { modelId: 'weather-script' },
    );
    const short = parts.flatMap((part) => {
      if (part.type === 'reasoning-delta' || part.type === 'text-delta') return [`${part.type} ${part.text}`];
      if (part.type === 'tool-input-delta') return [`${part.type} ${part.delta}`];
      if (part.type === 'tool-call') return [`tool-call ${part.toolCallId} ${JSON.stringify(part.input)}`];
      if (part.type === 'tool-result') return [`tool-result ${String(part.output)}`];
      if (part.type === 'finish-step') return [`finish-step ${part.finishReason}`];
      return [part.type];
    });
    expect(short).toMatchInlineSnapshot(`
      [
        "start",
        "start-step",
        "reasoning-start",
        "reasoning-delta Which city?",
        "reasoning-end",
        "text-start",
        "text-delta Let me see.",
        "text-end",
        "tool-input-start",
        "tool-input-delta {"city":",
        "tool-input-delta "Faro"}",
        "tool-input-end",
        "tool-call call-0-2 {"city":"Faro"}",
        "tool-result sunny in Faro",
        "finish-step tool-calls",
        "start-step",
        "text-start",
        "text-delta It is sunny ",
        "text-delta 🙂🙂",
        "text-end",
        "finish-step stop",
        "finish",
      ]
    `);
    expect(`${model.provider}:${model.modelId}`).toBe('simulated:weather-script');
    expect(model.calls.map(({ prompt }) => prompt.map(({ role }) => role))).toEqual([
      ['user'],
      ['user', 'assistant', 'tool'],
    ]);
  });

  test('gives the same ids in two runs', async () => {
    const turns: ScriptedTurn[] = [[{ toolCall: { name: 'getWeather', input: { city: 'Faro' } } }], 'Sunny.'];
    const ids = async () =>
      (await play(turns)).parts.flatMap((part) => (part.type === 'tool-call' ? [part.toolCallId] : []));
    expect(await ids()).toEqual(await ids());
  });

  test('ends a turn at an error part', async () => {
    const { parts } = await play([
      ['Half an ans', { error: { message: 'Overloaded', type: 'overloaded_error' } }],
    ]);
    const failed = parts.find((part) => part.type === 'error');
    expect(failed?.error).toMatchObject({ message: 'Overloaded', type: 'overloaded_error' });
    expect(parts.some((part) => part.type === 'text-delta')).toBe(true);
  });

  test('fails the call with the status of a thrown error', async () => {
    const { parts } = await play([[{ throw: { message: 'No such model', status: 404 } }]]);
    expect(parts.find((part) => part.type === 'error')?.error).toMatchObject({
      statusCode: 404,
      message: 'No such model',
    });
  });

  test('returns the given finish reason and usage', async () => {
    const { parts } = await play([
      [
        'Cut',
        {
          finish: {
            reason: 'length',
            usage: { inputTokens: 10, outputTokens: 20, reasoningTokens: 5, cachedInputTokens: 4 },
          },
        },
      ],
    ]);
    expect(parts.at(-1)).toMatchObject({
      finishReason: 'length',
      totalUsage: {
        inputTokens: 10,
        outputTokens: 20,
        totalTokens: 30,
        inputTokenDetails: { cacheReadTokens: 4 },
        outputTokenDetails: { reasoningTokens: 5 },
      },
    });
  });

  test('reports the number of turns if it is called too often', async () => {
    const model = scriptedModel(['One.']);
    await model.doGenerate({ prompt: [] });
    await expect(model.doGenerate({ prompt: [] })).rejects.toThrow(
      'The scripted model was called 2 times, but its script has 1 turn. Add a turn.',
    );
  });

  test('returns the same complete answer from doGenerate', async () => {
    const model = scriptedModel([
      [{ reasoning: 'Hm.' }, { text: 'Hello there', chunkSize: 3 }, { toolCall: { name: 'x' } }],
    ]);
    const { content, finishReason } = await model.doGenerate({ prompt: [] });
    expect(content).toEqual([
      { type: 'reasoning', text: 'Hm.' },
      { type: 'text', text: 'Hello there' },
      { type: 'tool-call', toolCallId: 'call-0-2', toolName: 'x', input: '{}' },
    ]);
    expect(finishReason.unified).toBe('tool-calls');
    const failing = scriptedModel([['a', { error: new Error('boom') }]]);
    await expect(failing.doGenerate({ prompt: [] })).rejects.toThrow('boom');
  });

  test('ends the stream at once at an abort, also during a delay', async () => {
    const controller = new AbortController();
    const model = scriptedModel([['First', { text: 'never', delay: 60_000 }]]);
    const { stream } = await model.doStream({ prompt: [], abortSignal: controller.signal });
    const reader = stream.getReader();
    const seen: string[] = [];
    const reading = (async () => {
      for (;;) {
        const { done, value } = await reader.read();
        if (done) return;
        seen.push(value.type);
        if (value.type === 'text-end') controller.abort();
      }
    })();
    await expect(reading).rejects.toMatchObject({ name: 'AbortError' });
    expect(seen).toEqual(['stream-start', 'text-start', 'text-delta', 'text-end']);
    await expect(model.doStream({ prompt: [], abortSignal: controller.signal })).rejects.toMatchObject({
      name: 'AbortError',
    });
  });

  test('sends parts one after another, not all at once', async () => {
    const model = scriptedModel([['a', 'b', 'c']]);
    const { stream } = await model.doStream({ prompt: [] });
    let turns = 0;
    const timer = setInterval(() => (turns += 1), 0);
    for await (const _ of stream);
    clearInterval(timer);
    expect(turns).toBeGreaterThanOrEqual(2);
  });

  test.each<[unknown, string]>([
    ['text', 'turns must be a list of turns'],
    [[7], 'turns[0] must be a string or a list of parts'],
    [[['a', 7]], 'turns[0][1] must be a string or an object'],
    [
      [[{ txt: 'a' }]],
      'turns[0][0] is empty. A part has one of text, reasoning, toolCall, error, throw, finish, or a delay',
    ],
    [[[{ text: 'a', reasoning: 'b' }]], 'turns[0][0] has text and reasoning, but a part is one thing'],
    [[[{ text: 'a', speed: 2 }]], 'turns[0][0] has an unknown property "speed"'],
    [[[{ text: 7 }]], 'turns[0][0].text must be a string'],
    [[[{ text: 'a', delay: -1 }]], 'turns[0][0].delay must be milliseconds, 0 or more'],
    [[[{ text: 'a', chunkSize: 0 }]], 'turns[0][0].chunkSize must be a number of characters, 1 or more'],
    [['ok', [{ toolCall: { input: {} } }]], 'turns[1][0].toolCall must be { name, input }'],
    [
      [['a', { throw: 'x' }]],
      'turns[0][1] comes after other parts, but "throw" fails the call before it streams. Use "error"',
    ],
    [[[{ finish: {} }, 'a']], 'turns[0][0] ends its turn, but more parts follow "finish"'],
    [[[{ finish: { reason: 'done' } }]], 'turns[0][0].finish.reason must be one of stop, length'],
  ])('refuses %j when it is made', (turns, message) => {
    let caught: unknown;
    try {
      scriptedModel(turns as ScriptedTurn[]);
    } catch (error) {
      caught = error;
    }
    expect(CuelineError.isInstance(caught) && caught.code).toBe('invalid_options');
    expect((caught as Error).message).toContain(`Scripted model: ${message}`);
  });
});
