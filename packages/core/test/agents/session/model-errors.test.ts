import { openai } from '@ai-sdk/openai';
import { type CuelineError } from '@cueline/core';
import { runAgentSession } from '@cueline/core/agents';
import { scriptedModel, type ScriptedTurn } from '@cueline/core/testing';
import type { ToolSet } from 'ai';
import { describe, expect, test } from 'vitest';
import { calls } from '../../support.ts';
import { complete, playSession, search, traced } from './sessions.ts';

const fails = (status: number, message: string): ScriptedTurn => [{ throw: { message, status } }];

describe('A model call that fails', () => {
  test('adds its error to the conversation, and the next turn follows', async () => {
    const { model, result } = await playSession([fails(400, 'Field x is not known.'), complete()]);
    expect(result).toMatchObject({ completionReason: 'task_complete', totalTurns: 2 });
    expect(result.error).toBeUndefined();
    expect(model.calls[1]?.prompt.at(-1)).toMatchObject({
      role: 'user',
      content: [{ text: expect.stringContaining('Field x is not known.') as string }],
    });
  });

  test('leaves a partial answer that is neither sent again nor kept', async () => {
    const { model, result, session } = await playSession([
      [{ text: 'I was about to' }, { error: new Error('socket hang up') }],
      complete(),
    ]);
    expect(result).toMatchObject({ completionReason: 'task_complete', totalTurns: 2 });
    expect(JSON.stringify(model.calls[1]?.prompt)).not.toContain('about to');
    expect(JSON.stringify(result.messages)).not.toContain('about to');
    expect(result.finalOutput).toBe('All done.');
    expect(JSON.stringify(session.run.log())).toContain('about to');
  });

  test('ends the session when it is the fifth in a row', async () => {
    const { result, told } = await playSession(Array.from({ length: 9 }, (_, at) => fails(400, `No ${at}.`)));
    expect(result).toMatchObject({
      completionReason: 'error',
      totalTurns: 5,
      error: { code: 'bad_request' },
    });
    expect(told.filter((line) => line.startsWith('onError'))).toHaveLength(5);
    expect(told.at(-1)).toBe('onComplete error in 5');
  });

  test('is counted from the last call that succeeded', async () => {
    const four = Array.from({ length: 4 }, () => fails(400, 'No.'));
    const { result } = await playSession([...four, calls(['search', { query: 'x' }]), ...four, complete()]);
    expect(result).toMatchObject({ completionReason: 'task_complete', totalTurns: 10 });
  });

  test.each([
    [401, 'auth'],
    [403, 'model_denied'],
  ])('with the status %i ends the session at once', async (status, code) => {
    const { result, model } = await playSession([fails(status, 'No.')]);
    expect(result).toMatchObject({ completionReason: 'error', error: { code }, totalTurns: 1 });
    expect(model.calls).toHaveLength(1);
  });

  test('is a turn that is neither idle nor work', async () => {
    const { result } = await playSession(['Hm.', fails(400, 'No.'), 'Well.', complete()]);
    const said = result.messages.flatMap(({ role, content }) => (role === 'user' ? [content] : []));
    expect(said.map((text) => (text as string).slice(0, 16))).toEqual([
      'Please begin.',
      'Please continue.',
      'The last model c',
      'REMINDER: If you',
    ]);
  });

  test('ends the session before its first turn if the model or the key is missing', async () => {
    for (const [model, code] of [
      ['unknown:model', 'unknown_model'],
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

  test('is aborted after llmTimeout, and the next turn follows', async () => {
    const model = scriptedModel([[{ delay: 60_000, text: 'late' }], complete()]);
    const errors: unknown[] = [];
    const result = await runAgentSession(model, {
      systemPrompt: '',
      llmTimeout: 40,
      callbacks: {
        onError: (_, { phase, error }) =>
          void errors.push([phase, (error as CuelineError).code, error.message]),
      },
    });
    expect(result).toMatchObject({ completionReason: 'task_complete', totalTurns: 2 });
    // a session has no options.timeout
    const message =
      'The model did not finish its answer within 0.04 s. Try again, or allow it more time: llmTimeout.';
    expect(errors).toEqual([['llm', 'timeout', message]]);
    expect(model.calls[0]?.abortSignal?.aborted).toBe(true);
  });
});

describe('A tool of the provider without execute', () => {
  const shell = openai.tools.localShell({}) as unknown as ToolSet[string];
  const called = calls(['shell', { action: { type: 'exec', command: ['ls'], env: {} } }]);

  test('ends the session before its first turn, and the error names what is missing', async () => {
    const { result, model } = await playSession([called], { tools: { shell } });
    expect(model.calls).toHaveLength(0);
    expect(result).toMatchObject({ completionReason: 'error', error: { code: 'invalid_options' } });
    expect(result.error?.message).toContain('shell');
    expect(result.error?.message).toContain('execute: async');
  });

  test('ends the session at its first call if it does not say who runs it', async () => {
    const { isProviderExecuted: _, ...older } = shell as { isProviderExecuted?: boolean };
    const tools = { search, shell: older as typeof shell };
    const { result, model } = await playSession([called, called, called, complete()], { tools });
    expect(model.calls).toHaveLength(1);
    expect(result).toMatchObject({ completionReason: 'error', error: { code: 'invalid_options' } });
    expect(result.error?.message).toContain('shell');
  });

  test('is fine if the provider runs it', async () => {
    const tools = { web_search: openai.tools.webSearch() as unknown as ToolSet[string] };
    const { result } = await playSession([complete()], { tools });
    expect(result.completionReason).toBe('task_complete');
  });
});
