import { dryRun, runPrompt, type Prompt, type PromptOptions } from '@cueline/core';
import { scriptedModel } from '@cueline/core/testing';
import { afterEach, describe, expect, test, vi } from 'vitest';
import * as z from 'zod';
import { play, throwing } from '../support.ts';
import { city, sayHi, type Case, prompts, errorOf } from '../support/dry-runs.ts';

afterEach(() => void vi.unstubAllGlobals());

describe('a dry run does nothing but compile', () => {
  test('a model is named, but not resolved', async () => {
    const modelOf = async (model: string, options: PromptOptions = {}): Promise<string> =>
      (await dryRun(sayHi, { model, options, env: {} })).request.model;
    expect(await modelOf('openai:gpt-4o')).toBe('openai:gpt-4o');
    expect(await modelOf('nobody:has:this')).toBe('nobody:has:this');
    expect(await modelOf('fast')).toBe('fast');
    expect(await modelOf('fast', { prepareStep: () => ({ model: 'mistral:small' }) })).toBe('mistral:small');
    expect((await dryRun(sayHi)).request.model).toBe('');
  });

  test('nothing is fetched, and no callback is called', async () => {
    const fetch = vi.fn();
    vi.stubGlobal('fetch', fetch);
    const heard = vi.fn();
    const names = ['onStart', 'onStepStart', 'onChunk', 'onStepEnd', 'onStepFinish', 'onStepError'];
    const callbacks = Object.fromEntries(
      [...names, 'onEnd', 'onFinish', 'onError', 'onAbort', 'experimental_onStart'].map((name) => [
        name,
        heard,
      ]),
    );
    await dryRun(prompts['messages of many parts, and earlier turns']!.define, { options: callbacks });
    await errorOf(
      dryRun(
        (prompt) => {
          prompt.defHook(throwing(new Error('no')));
          prompt.$`Hi.`;
        },
        { options: callbacks },
      ),
    );
    expect(fetch).not.toHaveBeenCalled();
    expect(heard).not.toHaveBeenCalled();
  });

  test('an approved tool call in the messages does not run', async () => {
    const pay = vi.fn();
    const error = await errorOf(
      dryRun(
        (prompt) => {
          prompt.defTool('pay', 'Pays', z.object({}), pay);
          prompt.$`Pay.`;
        },
        {
          options: {
            messages: [
              {
                role: 'assistant',
                content: [
                  { type: 'tool-call', toolCallId: 'c1', toolName: 'pay', input: {} },
                  { type: 'tool-approval-request', approvalId: 'a1', toolCallId: 'c1' },
                ],
              },
              {
                role: 'tool',
                content: [{ type: 'tool-approval-response', approvalId: 'a1', approved: true }],
              },
            ],
          },
        },
      ),
    );
    expect(pay).not.toHaveBeenCalled();
    expect(error).toEqual({
      code: 'invalid_options',
      message:
        'The messages approve a tool call, which runs before the first step, and a dry run runs no tools. Leave the approval out, or put the result of the call into the messages.',
    });
  });

  test('a key does not appear in the request', async () => {
    const { request } = await dryRun((prompt) => prompt.$`My key is sk-very-secret-key.`, {
      env: { OPENAI_API_KEY: 'sk-very-secret-key' },
    });
    expect(JSON.stringify(request)).not.toContain('very-secret');
  });
});

describe('a dry run throws the same errors as a run', () => {
  const wrong: Record<string, Case> = {
    'no message': { define: () => {} },
    'two tools of one name': {
      define(prompt) {
        prompt.defTool('a', '', city, () => 1);
        prompt.defTool('a', '', city, () => 1);
      },
    },
    'a limit that is none': { define: sayHi, options: { limits: { steps: 0 } } },
    'an approval that is none': { define: sayHi, options: { approval: 'yes' as never } },
    'no plugin': { define: sayHi, options: { plugins: [{} as never] } },
    'no function': { define: 1 as never },
  };

  test.for(Object.entries(wrong))('%s', async ([, { define, options = {} }]) => {
    const model = scriptedModel([]);
    expect(await errorOf(dryRun(define, { options }))).toEqual(
      await errorOf(runPrompt(define, { model, options })),
    );
  });

  const failing: Record<string, Case> = {
    'a hook that throws': {
      define(prompt) {
        prompt.defHook(throwing(new Error('no luck')));
        prompt.$`Hi.`;
      },
    },
    'a prepareStep that throws': {
      define: sayHi,
      options: { prepareStep: throwing(new Error('no luck')) },
    },
    'an extend that throws': {
      define(prompt) {
        prompt.defTaskList([{ task: 'One', extend: throwing(new Error('no luck')) }]);
        prompt.$`Hi.`;
      },
    },
  };

  test.for(Object.entries(failing))('%s', async ([, { define, options = {} }]) => {
    const { state } = await play(define, ['Done.'], { options });

    if (state.status !== 'error') throw new Error(`The run ended as ${state.status}.`);
    const { code, message } = state.error;
    expect(await errorOf(dryRun(define, { options }))).toEqual({ code, message });
    expect(message).toContain('no luck');
  });

  test('for an invalid model', async () => {
    const model = { doStream() {} } as never;
    expect(await errorOf(dryRun(sayHi, { model }))).toEqual(await errorOf(runPrompt(sayHi, { model })));
  });

  test('for a signal that aborts or has aborted', async () => {
    const stop = new AbortController();
    const define = (prompt: Prompt): void => {
      prompt.defHook(() => stop.abort());
      prompt.$`Hi.`;
    };
    const aborted = { code: 'aborted', message: 'The dry run was stopped.' };
    expect(await errorOf(dryRun(define, { options: { abortSignal: stop.signal } }))).toEqual(aborted);
    expect(await errorOf(dryRun(sayHi, { options: { abortSignal: stop.signal } }))).toEqual(aborted);
  });
});
