import {
  definePlugin,
  definePrompt,
  dryRun,
  runPrompt,
  type Prompt,
  type PromptOptions,
} from '@cueline/core';
import { scriptedModel, type ScriptedTurn } from '@cueline/core/testing';
import { isStepCount } from 'ai';
import { afterEach, describe, expect, test, vi } from 'vitest';
import * as z from 'zod';
import { call, json } from '../support.ts';
import { sayHi, type Case, prompts, errorOf } from '../support/dry-runs.ts';

/** What the steps of a real run sent. */
async function requestsOf({ define, options, messages }: Case, turns: readonly ScriptedTurn[]) {
  const model = scriptedModel(turns);
  const { run } = await runPrompt(define, {
    model,
    ...(options === undefined ? {} : { options }),
    ...(messages === undefined ? {} : { messages }),
  });
  const { steps, warnings } = await run.finished;
  return { requests: steps.map(({ request }) => ({ ...request })), warnings };
}

afterEach(() => void vi.unstubAllGlobals());

describe('dryRun returns the request that a run begins with', () => {
  test.for(Object.entries(prompts))('%s', async ([, given]) => {
    const { requests, warnings } = await requestsOf(given, ['Done.', 'Done.', 'Done.', 'Done.']);
    const model = scriptedModel([]);
    const { define, ...config } = given;
    const dry = await dryRun(define, { ...config, model });
    expect(dry.request).toEqual(requests[0]);
    expect(dry.warnings).toEqual(warnings);
    expect(model.calls).toEqual([]);
    // it is what the log has, so it can be stored
    expect(json(dry)).toEqual(dry);
  });

  test('for a definition with an input, a model and a plugin', async () => {
    const glossary = definePlugin({
      name: 'glossary',
      setup: (prompt) => ({ defTerm: (term: string, is: string) => prompt.defSystem(term, is) }),
    });
    const explainTerm = definePrompt(
      'explain-term',
      (prompt, input: { term: string }) => {
        prompt.defTerm(input.term, 'a kind of tea');
        prompt.$`What is ${input.term}?`;
      },
      { model: 'openai:gpt-4o', plugins: [glossary] },
    );
    expect(await dryRun(explainTerm, { input: { term: 'Rooibos' } })).toEqual({
      request: {
        model: 'openai:gpt-4o',
        instructions: 'Rooibos:\na kind of tea',
        instructionParts: [{ kind: 'system', name: 'Rooibos', start: 0, end: 22 }],
        messages: [{ role: 'user', content: 'What is Rooibos?' }],
        tools: [],
        settings: {},
      },
      tokens: {
        total: 10,
        parts: [
          { kind: 'system', name: 'Rooibos', tokens: 6 },
          { kind: 'message', name: 'messages[0]', tokens: 4 },
        ],
      },
      warnings: [],
    });
  });
});

describe('a later step', () => {
  const define = (prompt: Prompt): void => {
    prompt.def('MOOD', 'calm');
    prompt.defTool('wait', 'Waits', z.object({}), () => 'ok', { repeatable: true });
    prompt.$`Hi.`;
    let seen = '';
    prompt.defHook(({ stepNumber, variables }) => {
      seen += `${stepNumber},`;
      if (stepNumber === 1) return { temperature: 0.1, variables: { MOOD: { type: 'string', value: seen } } };
      return { temperature: Number(variables['MOOD']?.value === '0,1,') };
    });
  };
  const prepareStep: NonNullable<PromptOptions['prepareStep']> = ({ stepNumber, instructions }) =>
    stepNumber === 0
      ? {}
      : { instructions: `${typeof instructions === 'string' ? instructions : ''}\n${stepNumber}` };

  test.for([undefined, prepareStep])('is prepared after all steps before it', async (own) => {
    const options: PromptOptions = own === undefined ? {} : { prepareStep: own };
    const waits = [call('wait')];
    const { requests } = await requestsOf({ define, options }, [waits, waits, waits, 'Done.']);
    expect(requests.map(({ settings }) => settings['temperature'])).toEqual([0, 0.1, 1, 1]);
    for (const [step, real] of requests.entries()) {
      const { request } = await dryRun(define, { options, step, model: 'simulated:scripted' });
      // without an answer
      expect(request).toEqual({ ...real, messages: [{ role: 'user', content: 'Hi.' }] });
    }
  });

  test('keeps messages with which prepareStep replaced the conversation', async () => {
    const options: PromptOptions = {
      prepareStep: ({ messages, stepNumber }) =>
        stepNumber < 2 ? { messages: [...messages, { role: 'user', content: `${stepNumber}` }] } : undefined,
    };
    const { request } = await dryRun(sayHi, { options, step: 3 });
    expect(request.messages.map(({ content }) => content)).toEqual(['Hi.', '0', '1']);
  });

  test('belongs to the first task, whose extend runs once', async () => {
    const extend = vi.fn((own: Prompt) => void own.def('A', 'a'));
    const { request, tokens } = await dryRun(
      (prompt) => {
        prompt.defTaskList([{ task: 'One', extend }, { task: 'Two' }]);
        prompt.$`Work.`;
      },
      { step: 4 },
    );
    expect(extend).toHaveBeenCalledTimes(1);
    expect(request.messages[1]?.content).toMatch(/^\[Task 1\/2\] One/);
    expect(tokens.parts[0]).toEqual({ kind: 'variable', name: 'A', tokens: 2 });
  });

  test('beyond the limit of steps is refused', async () => {
    const error = await errorOf(dryRun(sayHi, { step: 50 }));
    expect(error.code).toBe('budget_exceeded');
    expect((await dryRun(sayHi, { step: 50, options: { stopWhen: isStepCount(60) } })).warnings).toEqual([]);
  });

  test.for([-1, 0.5, Number.NaN, '1' as unknown as number])(
    'that is not a step number is refused: %s',
    async (step) => {
      expect(await errorOf(dryRun(sayHi, { step }))).toEqual({
        code: 'invalid_options',
        message: `dryRun was asked for step ${step}. Steps are counted from 0: dryRun(prompt, { step: 1 }) is the second one.`,
      });
    },
  );
});

test('the estimate names every definition, and adds up', async () => {
  const { request, tokens } = await dryRun(
    (prompt) => {
      prompt.def('USER_NAME', 'Ada');
      prompt.defSystem('role', 'You help.');
      prompt.defTool('getWeather', 'Weather', { type: 'object' }, () => 'Sunny');
      prompt.$`Help <USER_NAME>.`;
      prompt.defMessage('user', [
        { type: 'text', text: 'See' },
        { type: 'image', image: new Uint8Array(3_000).fill(1) },
      ]);
    },
    { options: { system: 'Be short.' } },
  );
  expect(request.instructions).toHaveLength(92 + 2 + 26 + 2 + 15 + 2 + 9);
  expect(tokens).toEqual({
    total: 7 + 4 + 27 + 5 + 1_001 + 9,
    parts: [
      { kind: 'variable', name: 'USER_NAME', tokens: 7 },
      { kind: 'system', name: 'role', tokens: 4 },
      { kind: 'instructions', name: 'instructions', tokens: 27 },
      { kind: 'message', name: 'messages[0]', tokens: 5 },
      { kind: 'message', name: 'messages[1]', tokens: 1_001 },
      { kind: 'tool', name: 'getWeather', tokens: 9 },
    ],
  });
});
