import { runPrompt, type Prompt, type PromptSource } from '@cueline/core';
import { scriptedModel, type ScriptedTurn } from '@cueline/core/testing';
import { isStepCount } from 'ai';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { call, go, play, types } from '../support.ts';
import { numbered, busyTool, counted } from '../support/limits.ts';
import { after } from '../support/runs.ts';

const counts = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, index) => call('count', { n: from + index }));

describe('steps', () => {
  const turns = Array.from({ length: 60 }, (_, n) => [call('count', { n })]);

  test('are limited to fifty by default', async () => {
    const { state, model, result } = await counted(turns);
    expect(model.calls).toHaveLength(50);
    expect(state).toMatchObject({
      status: 'error',
      error: { code: 'budget_exceeded', details: { limit: 'steps', allowed: 50 } },
    });
    await expect(Promise.resolve(result.text)).rejects.toMatchObject({ code: 'budget_exceeded' });
  });

  test('are limited by limits.steps, also with stopWhen', async () => {
    const { model } = await counted(turns, { steps: 3 });
    expect(model.calls).toHaveLength(3);
    const both = await play(
      go((prompt) => busyTool(0).define(prompt)),
      turns,
      { options: { limits: { steps: 3 }, stopWhen: isStepCount(5) } },
    );
    expect(both.model.calls).toHaveLength(3);
    expect(both.run.getState()).toMatchObject({ status: 'error', error: { code: 'budget_exceeded' } });
  });

  test('end a run as done if its last step is the last allowed one', async () => {
    const { state } = await counted([...turns.slice(0, 2), 'Three.'], { steps: 3 });
    expect(state).toMatchObject({ status: 'done', text: 'Three.' });
  });
});

describe('tool calls', () => {
  test('are limited by limits.toolCalls, and one more ends the run', async () => {
    const enough = await counted([counts(1, 3), counts(4, 6), 'Six.'], { toolCalls: 6 });
    expect(enough.state).toMatchObject({ status: 'done', text: 'Six.' });
    const { state, made, model, result } = await counted([counts(1, 3), counts(4, 6), 'Never.'], {
      toolCalls: 5,
    });
    expect(state).toMatchObject({
      status: 'error',
      error: {
        code: 'budget_exceeded',
        message:
          'The run has made 5 tool calls, its agents included. If that is too low, raise options.limits.toolCalls; Infinity means no limit.',
      },
    });
    expect(model.calls).toHaveLength(2);
    expect(made.length).toBeLessThanOrEqual(5);
    await expect(Promise.resolve(result.text)).rejects.toMatchObject({ code: 'budget_exceeded' });
  });

  test('can be forbidden with 0', async () => {
    const { state, made } = await counted([counts(1, 1), 'Never.'], { toolCalls: 0 });
    expect(state).toMatchObject({ status: 'error', error: { details: { limit: 'toolCalls', allowed: 0 } } });
    expect(made).toEqual([]);
  });

  test('are limited to thirty-two in one step, and the run continues after refusals', async () => {
    const { state, made } = await counted([counts(1, 40), 'Thirty-two.']);
    expect(state).toMatchObject({ status: 'done', text: 'Thirty-two.' });
    expect(made.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 32 }, (_, index) => index + 1));
    expect(state.toolCalls.slice(32).map(({ errorText }) => errorText)).toEqual(
      Array.from(
        { length: 8 },
        () =>
          'One step may make 32 tool calls, and this is one more. If that is too low, raise options.limits.toolCallsPerStep; Infinity means no limit.',
      ),
    );
  });

  test('are counted for each step', async () => {
    const { state, made } = await counted([counts(1, 3), counts(4, 6), 'Done.'], { toolCallsPerStep: 2 });
    expect(made).toEqual([1, 2, 4, 5]);
    expect(state.status).toBe('done');
  });
});

describe('simultaneous tool calls', () => {
  /** An agent with a model of its own, and with what `define` defines. */
  function agent(
    prompt: Prompt,
    name: string,
    turns: readonly ScriptedTurn[],
    define: (own: Prompt) => unknown,
  ) {
    prompt.defAgent(name, '', z.object({}), (_args, own) => go(define)(own), {
      model: scriptedModel(turns),
    });
  }

  test('are never more than eight, and all run in order', async () => {
    const { most, made, state } = await counted([counts(1, 30), 'Thirty.']);
    expect(most).toBe(8);
    expect(made).toEqual(Array.from({ length: 30 }, (_, index) => index + 1));
    expect(state.toolCalls.map(({ output }) => output)).toEqual(made);
  });

  test.each([
    [1, 1],
    [3, 3],
    [Infinity, 20],
  ])('are limited by limits.concurrentToolCalls: %d', async (concurrentToolCalls, most) => {
    expect((await counted([counts(1, 20), 'Twenty.'], { concurrentToolCalls })).most).toBe(most);
  });

  test('are counted together for all agents', async () => {
    const tool = busyTool();
    const { state } = await play(
      go((prompt) => {
        for (const name of ['a', 'b', 'c', 'd'])
          agent(prompt, name, [counts(1, 6), 'Six.'], (own) => tool.define(own));
      }),
      [['a', 'b', 'c', 'd'].map((name) => call(name)), 'Twenty-four.'],
    );
    expect(state).toMatchObject({ status: 'done', text: 'Twenty-four.' });
    expect(tool.made).toHaveLength(24);
    expect(tool.most()).toBe(8);
  });

  test('allow nested agents with a single permit', async () => {
    const tool = busyTool(1);
    const { state } = await play(
      go((prompt) => {
        for (const name of ['a', 'b', 'c'])
          agent(prompt, name, [[call('inner')], 'Done.'], (own) =>
            agent(own, 'inner', [counts(1, 3), 'Three.'], (inner) => tool.define(inner)),
          );
      }),
      [['a', 'b', 'c'].map((name) => call(name)), 'Nine.'],
      { options: { limits: { concurrentToolCalls: 1 } } },
    );
    expect(state).toMatchObject({ status: 'done', text: 'Nine.' });
    expect(tool.made).toHaveLength(9);
    expect(tool.most()).toBe(1);
  });

  test('release their permit if they fail', async () => {
    const { state } = await play(
      go((prompt) => {
        prompt.defTool('fail', '', numbered, async ({ n }) => {
          await Promise.resolve();
          throw new Error(`no ${n}`);
        });
        prompt.defTool('slow', '', numbered, () => new Promise(() => {}), { timeoutMs: 10 });
      }),
      [[...[1, 2, 3, 4].map((n) => call('fail', { n })), ...[1, 2].map((n) => call('slow', { n }))], 'Done.'],
      { options: { limits: { concurrentToolCalls: 1 } } },
    );
    expect(state.status).toBe('done');
    expect(state.toolCalls.map(({ errorText }) => errorText)).toEqual([
      'Error: no 1',
      'Error: no 2',
      'Error: no 3',
      'Error: no 4',
      'slow took longer than 10 ms, so it was ended.',
      'slow took longer than 10 ms, so it was ended.',
    ]);
  });

  test('keep their permit after a timeout while their function works, for at most as long again', async () => {
    let working = 0;
    let most = 0;
    const { state } = await play(
      go((prompt) =>
        prompt.defTool(
          'deaf',
          '',
          numbered,
          async () => {
            most = Math.max(most, (working += 1));
            await after(60);
            working -= 1;
          },
          { timeoutMs: 40 },
        ),
      ),
      [[1, 2, 3].map((n) => call('deaf', { n })), 'Done.'],
      { options: { limits: { concurrentToolCalls: 1 } } },
    );
    expect(state.toolCalls.map(({ errorText }) => errorText)).toEqual(
      Array.from({ length: 3 }, () => 'deaf took longer than 40 ms, so it was ended.'),
    );
    expect(most).toBe(1);
  });
});

describe('tokens', () => {
  const uses = (inputTokens: number, outputTokens: number) => ({
    finish: { usage: { inputTokens, outputTokens } },
  });

  test('allow no further step once they are used up', async () => {
    const { state, model } = await counted(
      [[call('count', { n: 1 }), uses(30, 20)], [call('count', { n: 2 }), uses(30, 20)], 'Never.'],
      { tokens: 100 },
    );
    expect(model.calls).toHaveLength(2);
    expect(state).toMatchObject({
      status: 'error',
      error: { code: 'budget_exceeded', details: { limit: 'tokens', allowed: 100 } },
      usage: { totalTokens: 100 },
    });
  });

  test('let a run continue if some are left', async () => {
    const { state } = await counted(
      [
        [call('count', { n: 1 }), uses(30, 20)],
        ['Done.', uses(20, 20)],
      ],
      {
        tokens: 100,
      },
    );
    expect(state).toMatchObject({ status: 'done', text: 'Done.' });
  });

  test('do not end a run after its complete answer', async () => {
    const { state } = await counted([['Done.', uses(200, 20)]], { tokens: 100 });
    expect(state).toMatchObject({ status: 'done', text: 'Done.', usage: { totalTokens: 220 } });
  });

  /** A prompt whose agent calls a tool that never returns. */
  const researching = (timeoutMs: number): PromptSource =>
    go((prompt) =>
      prompt.defAgent(
        'research',
        '',
        numbered,
        (_args, own) => {
          own.defTool('wait', '', z.object({}), () => new Promise(() => {}));
          own.$`Wait.`;
        },
        {
          model: scriptedModel([
            [call('wait'), uses(60, 30)],
            [call('wait'), uses(60, 30)],
          ]),
          timeoutMs,
        },
      ),
    );
  const research = (n: number): ScriptedTurn => [call('research', { n }), uses(1, 1)];

  test('count if the agent that has used them runs out of time in its tool', async () => {
    const { state, model } = await play(researching(300), [1, 2, 3, 4].map(research), {
      options: { limits: { tokens: 100 } },
    });
    expect(model.calls).toHaveLength(2);
    expect(state).toMatchObject({
      status: 'error',
      error: { code: 'budget_exceeded', details: { limit: 'tokens', allowed: 100 } },
      usage: { totalTokens: 184 },
      agents: [{ usage: { totalTokens: 90 } }, { usage: { totalTokens: 90 } }],
    });
  });

  test('of complete answers are in the state of a run that is stopped in its tools', async () => {
    const model = scriptedModel([research(1), 'Never.']);
    const { run } = await runPrompt(researching(5_000), { model });
    run.listen((event) => {
      if (event.type === 'tool-start' && event.toolName === 'wait') setTimeout(() => run.stop(), 20);
    });
    expect(await run.finished).toMatchObject({
      status: 'stopped',
      usage: { totalTokens: 92 },
      steps: [{ usage: { totalTokens: 2 } }],
      agents: [{ usage: { totalTokens: 90 } }],
    });
    expect(types(run.log()).slice(-3)).toEqual(['model-call-end', 'model-call-end', 'run-end']);
  });

  test('of an answer that is cut off and retried count once', async () => {
    const failed: ScriptedTurn = [{ text: 'I' }, { finish: { ...uses(40, 20).finish, reason: 'error' } }];
    const { state } = await play(
      go((prompt) => busyTool().define(prompt)),
      [failed, [call('count', { n: 1 }), uses(20, 19)], 'Done.'],
      { options: { streamRetries: 1, limits: { tokens: 100 } } },
    );
    expect(state).toMatchObject({ status: 'done', text: 'Done.' });
  });

  test('are unlimited without a limit', async () => {
    const { state } = await counted([[call('count', { n: 1 }), uses(1e9, 1e9)], 'Done.']);
    expect(state.status).toBe('done');
  });
});

test('invalid limits are refused before the run', async () => {
  const started = runPrompt((prompt) => prompt.$`Go.`, {
    model: scriptedModel([]),
    options: { limits: { steps: 0 } },
  });
  await expect(started).rejects.toMatchObject({
    code: 'invalid_options',
    message: 'options.limits.steps is 0. Give a whole number of at least 1, or Infinity for no limit.',
  });
});
