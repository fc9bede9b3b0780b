import { getEventListeners } from 'node:events';
import { runPrompt, type Prompt, type PromptOptions, type PromptSource } from '@cueline/core';
import { scriptedModel, type ScriptedTurn } from '@cueline/core/testing';
import { tool as aiTool, type TextStreamPart, type ToolSet } from 'ai';
import { describe, expect, test, vi } from 'vitest';
import * as z from 'zod';
import { call, go, play, throwing, types } from '../support.ts';
import { after, codeOf } from '../support/runs.ts';

const sayHi = (prompt: Prompt) => prompt.$`Hi.`;

describe('a run ends once, with a status', () => {
  test('as stopped while it streams: nothing follows, and the tools are aborted', async () => {
    let aborted = false;
    const model = scriptedModel([[call('wait')], 'Never.']);
    const { run, result } = await runPrompt(
      go((prompt) =>
        prompt.defTool('wait', '', z.object({}), (_args, { abortSignal }) => {
          setTimeout(() => run.stop(), 5);
          return new Promise((_resolve, reject) => {
            abortSignal?.addEventListener('abort', () => {
              aborted = true;
              reject(new Error('aborted'));
            });
          });
        }),
      ),
      { model },
    );
    const state = await run.finished;
    expect(state.status).toBe('stopped');
    expect(aborted).toBe(true);
    expect(state.toolCalls[0]!.state).toBe('interrupted');
    const length = run.log().length;
    await after(30);
    expect(run.log()).toHaveLength(length);
    expect(types(run.log()).filter((type) => type === 'run-end')).toHaveLength(1);
    await expect(Promise.resolve(result.text)).rejects.toThrow();
    run.stop();
    expect(run.log()).toHaveLength(length);
  });

  test('as stopped by the caller’s signal, before and during the run', async () => {
    const during = new AbortController();
    const model = scriptedModel([[{ text: 'abcdef', chunkSize: 1 }, { delay: 5_000 }]]);
    const { run } = await runPrompt(sayHi, { model, options: { abortSignal: during.signal } });
    run.listen((event) => {
      if (event.type === 'text-delta' && event.text === 'c') during.abort();
    });
    expect(await run.finished).toMatchObject({ status: 'stopped', text: 'abc' });

    const before = await runPrompt(sayHi, { model, options: { abortSignal: AbortSignal.abort() } });
    expect(await before.run.finished).toMatchObject({ status: 'stopped', text: '' });
    expect(types(before.run.log())).toEqual(['run-start', 'run-end']);
    expect(model.calls).toHaveLength(1);
  });

  test('with the error of the provider, and every promise of result rejects with it', async () => {
    const { result, state, events } = await play(
      sayHi,
      [[{ throw: { message: 'Incorrect API key provided: sk-abcdefghijklmnopqrstuvwx', status: 401 } }]],
      { options: { maxRetries: 0 } },
    );

    expect(state).toMatchObject({ status: 'error', error: { code: 'auth', details: { statusCode: 401 } } });
    expect(JSON.stringify(events)).not.toContain('sk-abcdef');
    for (const promise of [result.text, result.usage, result.steps, result.finishReason]) {
      expect(await codeOf(promise)).toBe('auth');
    }
  });

  const once = go((prompt) => prompt.defTool('t', '', z.object({}), () => 1));
  const oops = throwing(new Error('oops'));
  test.each<[string, PromptSource, ScriptedTurn[], PromptOptions, code: string, text: string]>([
    [
      'an error in the middle of an answer',
      sayHi,
      [['Half a ', { error: 'overheated' }]],
      {},
      'provider_error',
      'Half a ',
    ],
    [
      'an error after a tool has run',
      once,
      [[call('t'), { error: 'cut' }], 'Never.'],
      {},
      'provider_error',
      '',
    ],
    [
      'a failure in a later step',
      once,
      [[call('t')], [{ throw: { message: 'no', status: 400 } }]],
      {},
      'bad_request',
      '',
    ],
    [
      'an answer that was cut off',
      sayHi,
      [['Half', { finish: { reason: 'interrupted' } }]],
      {},
      'stream_truncated',
      'Half',
    ],
    ['a prepareStep that throws', sayHi, ['Never.'], { prepareStep: oops }, 'script_error', ''],
    [
      'a time limit',
      sayHi,
      [[{ text: 'a' }, { delay: 5_000 }], 'Never.'],
      { timeout: { totalMs: 40 } },
      'timeout',
      'a',
    ],
  ])('%s is the error of the run and of result', async (_what, source, turns, options, code, text) => {
    const { model, result, state, events } = await play(source, turns, { options });
    expect(state).toMatchObject({ status: 'error', error: { code }, text });
    expect(await codeOf(result.text)).toBe(code);
    expect(await codeOf(result.usage)).toBe(code);
    expect(types(events).filter((type) => type === 'run-end')).toHaveLength(1);
    expect(model.calls.length).toBe(turns.filter((turn) => turn !== 'Never.').length);
  });

  test('even if a transform swallows the end of the stream', async () => {
    const { state } = await play(sayHi, ['Ok.'], {
      options: {
        experimental_transform: () =>
          new TransformStream({
            transform(part: TextStreamPart<ToolSet>, controller) {
              if (part.type !== 'finish') controller.enqueue(part);
            },
          }),
      },
    });
    expect(state).toMatchObject({ status: 'done', text: 'Ok.' });
  });

  test('without a listener on a signal that outlives it, whose reason is passed on', async () => {
    const controller = new AbortController();
    const options = { abortSignal: controller.signal };
    for (let index = 0; index < 3; index++) await play(sayHi, ['Ok.'], { options });
    expect(getEventListeners(controller.signal, 'abort')).toHaveLength(0);

    const reasons: unknown[] = [];
    const { run } = await runPrompt(sayHi, {
      model: scriptedModel([[{ text: 'a' }, { delay: 5_000 }]]),
      options: { ...options, onAbort: ({ reason }) => void reasons.push(reason) },
    });
    const reason = new Error('the page was left');
    run.listen((event) => {
      if (event.type === 'text-delta') controller.abort(reason);
    });
    expect((await run.finished).status).toBe('stopped');
    await after(5);
    expect(reasons).toEqual([reason]);
  });

  test('without interrupted calls if it waits for an approval of a call at the provider', async () => {
    const { state } = await play((prompt) => prompt.$`Go.`, [[call('pay')]], {
      options: {
        tools: { pay: { ...aiTool({ inputSchema: z.object({}) }), isProviderExecuted: true } as never },
        toolApproval: { pay: 'user-approval' },
      },
    });
    expect(state.status).toBe('waiting');
    expect(state.toolCalls[0]!.state).toBe('input-available');
  });

  test('with a complete log if callbacks throw', async () => {
    const fail = throwing(new Error('not my day'));
    const { state } = await play(sayHi, ['Ok.'], {
      options: { onChunk: fail, onStepEnd: fail, onEnd: fail, onStepStart: fail },
    });
    expect(state.status).toBe('done');
  });

  test('without printing anything', async () => {
    const spies = (['error', 'warn', 'log'] as const).map((name) => vi.spyOn(console, name));
    await play(sayHi, [['Half', { error: 'x' }]]);
    for (const spy of spies) {
      expect(spy).not.toHaveBeenCalled();
      spy.mockRestore();
    }
  });
});

test.each<[string, ScriptedTurn[], string[]]>([
  ['nothing', [[{ finish: { reason: 'stop' } }]], ['empty']],
  ['nothing, for an unknown reason', [[{ finish: { reason: 'other' } }]], ['empty']],
  ['an empty text', [[{ text: ' ' }]], ['empty']],
  ['reasoning alone', [[{ reasoning: 'Well.' }]], ['empty']],
  ['nothing after a tool call', [['Let me see.', call('look')], [{ reasoning: 'Well.' }]], ['empty']],
  ['a text', ['Hi.'], []],
  ['a text after nothing but a tool call', [[call('look')], 'Hi.'], []],
])(
  'a run whose last answer is %s is done, with a warning if there is nothing to read',
  async (_what, turns, warns) => {
    const { state } = await play(
      go((prompt) => prompt.defTool('look', '', z.object({}), () => 'seen')),
      turns,
    );
    expect(state.status).toBe('done');
    expect(
      state.warnings.map((text) => text.replace(/^The model ended its answer without a text\. .*/, 'empty')),
    ).toEqual(warns);
  },
);
