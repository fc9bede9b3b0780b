import { createRun } from '@cueline/core';
import { defineSession } from '@cueline/core/agents';
import { scriptedModel, type ScriptedTurn } from '@cueline/core/testing';
import type { ModelMessage } from 'ai';
import { describe, expect, test } from 'vitest';
import { calls, json, play } from '../../support.ts';
import { complete, playSession, search, short } from './sessions.ts';

const big = (size = 4_000): ScriptedTurn => calls(['search', { query: 'x'.repeat(size) }]);
const warnings = ({ session }: Awaited<ReturnType<typeof playSession>>): string[] =>
  session.run.log().flatMap((event) => (event.type === 'warning' ? [event.message] : []));
const roles = (prompt: readonly { role: string }[] = []): string => prompt.map(({ role }) => role).join(' ');

describe('a conversation is summarized', () => {
  test('by the usage that the provider reports, plus the messages since', async () => {
    const usage = (inputTokens: number): ScriptedTurn => [
      ...(calls(['search', { query: 'x' }]) as []),
      { finish: { usage: { inputTokens, outputTokens: 10 } } },
    ];
    const under = await playSession([usage(900), complete()], { tokenLimit: 1_000 });
    expect(under.model.calls).toHaveLength(2);
    const over = await playSession([usage(995), 'In short.', complete()], { tokenLimit: 1_000 });
    expect(over.model.calls).toHaveLength(3);
    expect(roles(over.model.calls[2]?.prompt)).toBe('system user assistant user');
  });

  test('without usage, or with an impossible one, by four characters a token', async () => {
    for (const inputTokens of [0, -5, 1e308, '9' as never]) {
      const usage = { finish: { usage: { inputTokens, outputTokens: 0 } } };
      const turn = (size: number): ScriptedTurn => [...(big(size) as []), usage];
      const small = await playSession([turn(100), complete()], { tokenLimit: 1_000 });
      expect(small.model.calls).toHaveLength(2);
      const large = await playSession([turn(2_000), 'In short.', complete()], { tokenLimit: 1_000 });
      expect(large.model.calls).toHaveLength(3);
    }
  });

  test('before its first turn if a long conversation is resumed, except for its last user message', async () => {
    const initialMessages: ModelMessage[] = [
      { role: 'user', content: 'y'.repeat(8_000) },
      { role: 'assistant', content: 'I see.' },
      { role: 'user', content: 'And now?' },
    ];
    const { told, model, result } = await playSession(['About y.', complete()], {
      initialMessages,
      tokenLimit: 1_000,
    });
    expect(told.slice(0, 4)).toEqual([
      'onBeforeSummarize user, assistant',
      'onAfterSummarize user, assistant',
      'onMessagesUpdate user, assistant, user',
      'onTurnStart 1',
    ]);
    expect(JSON.stringify(model.calls[0]?.prompt)).not.toContain('And now?');
    expect(result.messages[2]).toEqual({ role: 'user', content: 'And now?' });
  });

  test('after which the model may make the calls again whose results it no longer has', async () => {
    const read = calls(['search', { query: 'a' }]);
    const turns = [read, big(), 'In short.', read, big(), 'In short.', read, complete()];
    const { told } = await playSession(turns, { tokenLimit: 1_000 });
    expect(told.filter((line) => line.includes('search {"found":"a"}'))).toHaveLength(3);
    expect(told.filter((line) => line.startsWith('onError'))).toEqual([]);
  });

  test('never if it is a single long message', async () => {
    const { model } = await playSession([complete()], {
      initialMessage: 'y'.repeat(8_000),
      tokenLimit: 1_000,
    });
    expect(model.calls).toHaveLength(1);
  });

  test('as often as the limit is reached', async () => {
    const { model, result } = await playSession(
      Array.from({ length: 6 }, (_, at) => [
        calls(['search', { query: `${at}${'x'.repeat(2_400)}` }]),
        'In short.',
        calls(['search', { query: `small ${at}` }]),
      ])
        .flat()
        .concat([complete()]),
      { tokenLimit: 1_200 },
    );
    expect(result).toMatchObject({ completionReason: 'task_complete', totalTurns: 13 });
    expect(model.calls).toHaveLength(19);
    for (const { prompt } of model.calls) expect(JSON.stringify(prompt).length).toBeLessThan(12_000);
  });
});

describe('a summary', () => {
  test('is written by an agent in the same log, which reads the conversation as text', async () => {
    const { session, model } = await playSession([big(3_000), 'In short.', complete()], {
      tokenLimit: 1_000,
    });
    const { agents } = session.run.getState();
    expect(agents).toMatchObject([
      { name: 'summarize', path: expect.stringMatching(/^summarize-.*-1$/), status: 'done' },
    ]);
    expect(model.calls[1]?.tools ?? []).toEqual([]);
    expect(JSON.stringify(model.calls[1]?.prompt.at(-1))).toContain('[calls search with {');
  });

  test('is sent with the headers and provider options of the session', async () => {
    const options = { headers: { 'x-team': 'red' }, providerOptions: { openai: { store: false } } };
    const { model } = await playSession([big(3_000), 'In short.', complete()], {
      tokenLimit: 1_000,
      options,
    });
    expect(model.calls.map(({ headers, providerOptions }) => ({ headers, providerOptions }))).toMatchObject([
      options,
      options,
      options,
    ]);
  });

  test('does not count as an agent inside the session', async () => {
    const { model, told } = await playSession([big(3_000), 'In short.', complete()], {
      tokenLimit: 1_000,
      limits: { depth: 0 },
    });
    expect(model.calls).toHaveLength(3);
    expect(told.filter((line) => line.startsWith('onError'))).toEqual([]);
  });

  test('has its own path in a run that is retried', async () => {
    const work = defineSession('work', {
      systemPrompt: 'You work.',
      sessionId: 'w1',
      tokenLimit: 1_000,
      tools: { search },
    });
    const { run } = await play(work, [big(3_000), 'In short.', big(3_000), 'Shorter.', complete()]);
    const again = createRun(work, { model: scriptedModel(['All of it.', complete()]), log: run.log() });
    await again.retry({ from: 2 });
    const { agents } = again.getState();
    expect(agents).toMatchObject([{ text: 'In short.' }, { text: 'All of it.' }]);
    expect(agents[0]!.path).not.toBe(agents[1]!.path);
  });

  test('is followed by the latest messages, unchanged', async () => {
    const { result } = await playSession(['x'.repeat(6_000), 'In short.', complete()], { tokenLimit: 1_000 });
    expect(json(result.messages.slice(0, 3))).toEqual([
      { role: 'user', content: 'Previous conversation summary:' },
      { role: 'assistant', content: 'In short.' },
      { role: 'user', content: 'Please continue.' },
    ]);
  });

  test('gets a request that ends on a user message, and whose calls all have results', async () => {
    const { model, result } = await playSession([big(3_000), 'In short.', complete()], {
      tokenLimit: 1_000,
      callbacks: {
        onBeforeSummarize: (_, messages) => messages.slice(0, 1),
        onAfterSummarize: (_, summary) => [
          ...summary,
          {
            role: 'assistant',
            content: [{ type: 'tool-call', toolCallId: 'call-0-0', toolName: 'search', input: {} }],
          },
        ],
      },
    });
    expect(roles(model.calls[2]?.prompt)).toBe('system user assistant assistant tool user');
    expect(short(result.messages.slice(0, 5))).toBe('user, assistant, assistant(search), tool(search), user');
  });

  test('is not made if onBeforeSummarize returns an empty list', async () => {
    const { model, result, told } = await playSession([big(3_000), complete()], {
      tokenLimit: 1_000,
      callbacks: { onBeforeSummarize: () => [] },
    });
    expect(model.calls).toHaveLength(2);
    expect(result.completionReason).toBe('task_complete');
    expect(told.some((line) => line.startsWith('onAfterSummarize'))).toBe(false);
  });
});

describe('a summary that fails', () => {
  test('is reported, and the session continues with all messages', async () => {
    const { result, told, model } = await playSession(
      [big(3_000), [{ throw: { message: 'No.', status: 400 } }], complete()],
      { tokenLimit: 1_000 },
    );
    expect(result).toMatchObject({ completionReason: 'task_complete', totalTurns: 2 });
    expect(told.filter((line) => line.startsWith('onError'))).toHaveLength(1);
    expect(told.find((line) => line.startsWith('onError'))).toMatch(/^onError 1: summarize/);
    expect(roles(model.calls[2]?.prompt)).toBe('system user assistant tool');
  });

  test('includes an empty one', async () => {
    const { told, result } = await playSession([big(3_000), '', complete()], { tokenLimit: 1_000 });
    expect(told.some((line) => line.startsWith('onError 1: summarize'))).toBe(true);
    expect(result.completionReason).toBe('task_complete');
  });

  describe('because the conversation is too long for it', () => {
    const overflows = (code: string): ScriptedTurn => [
      { throw: { message: `This model's maximum context length is ${code} tokens.`, status: 400 } },
    ];
    const textOf = ({ prompt }: { prompt: readonly unknown[] }): string => JSON.stringify(prompt.at(-1));

    test('is made of half of it, with the beginning and the end', async () => {
      const { result, told, model } = await playSession(
        [big(8_000), overflows('4096'), overflows('4096'), 'In short.', complete()],
        { tokenLimit: 1_000, initialMessage: 'Find the x.' },
      );
      expect(result).toMatchObject({ completionReason: 'task_complete', totalTurns: 2 });
      expect(told.filter((line) => line.startsWith('onError'))).toEqual([]);
      const [whole, half, quarter] = model.calls.slice(1, 4).map(textOf);
      expect(half!.length).toBeLessThan(whole!.length * 0.6);
      expect(quarter!.length).toBeLessThan(half!.length * 0.6);
      expect(quarter).toContain('Find the x.');
      expect(quarter).toContain('The middle of the conversation is left out');
      expect(quarter).toContain('xxx\\"}]');
    });

    test('is reported after four halvings', async () => {
      const { result, told, model } = await playSession(
        [big(8_000), ...Array.from({ length: 5 }, () => overflows('4096')), complete()],
        { tokenLimit: 1_000 },
      );
      expect(result.completionReason).toBe('task_complete');
      expect(model.calls).toHaveLength(7);
      expect(told.filter((line) => line.startsWith('onError'))).toEqual([
        expect.stringMatching(/^onError 1: summarize/),
      ]);
    });
  });

  test('a limit below system prompt and tools is raised, with a warning', async () => {
    const played = await playSession(
      [...Array.from({ length: 8 }, (_, at) => calls(['search', { query: String(at) }])), complete()],
      { tokenLimit: 300, systemPrompt: 'You work. '.repeat(200) },
    );
    expect(played.model.calls).toHaveLength(9);
    expect(warnings(played)).toHaveLength(1);
    expect(warnings(played)[0]).toMatch(/^tokenLimit is 300, but/);
  });

  test('messages that a callback keeps and that are too long do not cause a summary at every turn', async () => {
    const kept: ModelMessage = { role: 'user', content: 'z'.repeat(8_000) };
    const played = await playSession(
      [
        big(3_000),
        'In short.',
        calls(['search', { query: 'a' }]),
        calls(['search', { query: 'b' }]),
        complete(),
      ],
      { tokenLimit: 1_000, callbacks: { onAfterSummarize: (_, summary) => [kept, ...summary] } },
    );
    expect(played.result.completionReason).toBe('task_complete');
    expect(played.told.filter((line) => line.startsWith('onBeforeSummarize'))).toHaveLength(1);
    expect(warnings(played)).toHaveLength(1);
  });
});

describe('turns that are too long for the limit', () => {
  const turns = (count: number): ScriptedTurn[] =>
    Array.from({ length: count }, (_, at) => [
      calls(['search', { query: `${at}${'x'.repeat(2_400)}` }]),
      'In short.',
    ]).flat();

  test('do not raise the limit if there are few in a row: each is summarized, so that no request is longer', async () => {
    const played = await playSession([...turns(3), complete()], { tokenLimit: 1_000 });
    expect(played.result.completionReason).toBe('task_complete');
    expect(warnings(played)).toEqual([]);
    expect(played.model.calls).toHaveLength(7);
    for (const { prompt } of played.model.calls) expect(JSON.stringify(prompt).length).toBeLessThan(6_500);
  });

  test('raise the limit if all turns are', async () => {
    const search = (at: number): ScriptedTurn => calls(['search', { query: `${at}${'y'.repeat(2_400)}` }]);
    const played = await playSession([...turns(3), search(3), complete()], { tokenLimit: 1_000 });
    expect(played.result.completionReason).toBe('task_complete');
    expect(warnings(played)).toEqual([
      expect.stringMatching(
        /^tokenLimit is 1000, but a summary and the single turn after it take about 1\d\d\d tokens/,
      ),
    ]);
  });
});

test('a defined session is a prompt like any other', async () => {
  const work = defineSession('work', { systemPrompt: 'You work.', sessionId: 'w1', tools: { search } });
  const { run, model } = await play(work, [calls(['search', { query: 'a' }]), complete('Done.', [1])]);
  expect(run.getState()).toMatchObject({ status: 'done', result: { summary: 'Done.', result: [1] } });
  expect(run.log()[0]).toMatchObject({ type: 'run-start', name: 'work' });
  expect(model.calls).toHaveLength(2);
});
