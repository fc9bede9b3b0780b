import { runPrompt, type Prompt, type PromptConfig, type PromptSource } from '@cueline/core';
import { scriptedModel, type ScriptedTurn } from '@cueline/core/testing';
import { isStepCount } from 'ai';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { sent } from '../sent.ts';
import { call, go, play } from '../support.ts';
import { after } from '../support/runs.ts';

type Given = NonNullable<NonNullable<PromptConfig['options']>['limits']>;

const numbered = z.object({ n: z.number() });
const counts = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, index) => call('count', { n: from + index }));

/** A tool that does something for a while, and how many of its calls were under way at once. */
function busyTool(ms = 5): { define: (prompt: Prompt) => void; made: number[]; most: () => number } {
  const made: number[] = [];
  let running = 0;
  let most = 0;
  return {
    made,
    most: () => most,
    define: (prompt) =>
      prompt.defTool('count', '', numbered, async ({ n }) => {
        made.push(n);
        running += 1;
        most = Math.max(most, running);
        await after(ms);
        running -= 1;
        return n;
      }),
  };
}

async function counted(turns: readonly ScriptedTurn[], limits?: Given) {
  const tool = busyTool();
  const source: PromptSource = (prompt) => {
    tool.define(prompt);
    prompt.$`Count.`;
  };
  const played = await play(source, turns, { options: { limits } });
  return { ...played, made: tool.made, most: tool.most(), state: played.run.getState() };
}

describe('steps', () => {
  const turns = Array.from({ length: 60 }, (_, n) => [call('count', { n })]);

  test('fifty by default', async () => {
    const { state, model, result } = await counted(turns);
    expect(model.calls).toHaveLength(50);
    expect(state).toMatchObject({
      status: 'error',
      error: { code: 'budget_exceeded', details: { limit: 'steps', allowed: 50 } },
    });
    await expect(Promise.resolve(result.text)).rejects.toMatchObject({ code: 'budget_exceeded' });
  });

  test('limits.steps, also beside stopWhen', async () => {
    const { model } = await counted(turns, { steps: 3 });
    expect(model.calls).toHaveLength(3);
    const both = await play(
      (prompt) => {
        busyTool(0).define(prompt);
        prompt.$`Count.`;
      },
      turns,
      { options: { limits: { steps: 3 }, stopWhen: isStepCount(5) } },
    );
    expect(both.model.calls).toHaveLength(3);
    expect(both.run.getState()).toMatchObject({ status: 'error', error: { code: 'budget_exceeded' } });
  });

  test('a run that ends with its last step is done', async () => {
    const { state } = await counted([...turns.slice(0, 2), 'Three.'], { steps: 3 });
    expect(state).toMatchObject({ status: 'done', text: 'Three.' });
  });
});

describe('tool calls', () => {
  test('limits.toolCalls; one more ends the run', async () => {
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
          'The run has made 5 tool calls, its agents included. Where that is too little, raise options.limits.toolCalls; Infinity means no limit.',
      },
    });
    expect(model.calls).toHaveLength(2);
    expect(made.length).toBeLessThanOrEqual(5);
    await expect(Promise.resolve(result.text)).rejects.toMatchObject({ code: 'budget_exceeded' });
  });

  test('zero, with 0', async () => {
    const { state, made } = await counted([counts(1, 1), 'Never.'], { toolCalls: 0 });
    expect(state).toMatchObject({ status: 'error', error: { details: { limit: 'toolCalls', allowed: 0 } } });
    expect(made).toEqual([]);
  });

  test('thirty-two in one step; those beyond it are refused, and the run continues', async () => {
    const { state, made } = await counted([counts(1, 40), 'Thirty-two.']);
    expect(state).toMatchObject({ status: 'done', text: 'Thirty-two.' });
    expect(made.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 32 }, (_, index) => index + 1));
    expect(state.toolCalls.slice(32).map(({ errorText }) => errorText)).toEqual(
      Array.from(
        { length: 8 },
        () =>
          'One step may make 32 tool calls, and this is one more. Where that is too little, raise options.limits.toolCallsPerStep; Infinity means no limit.',
      ),
    );
  });

  test('each step counts its own', async () => {
    const { state, made } = await counted([counts(1, 3), counts(4, 6), 'Done.'], { toolCallsPerStep: 2 });
    expect(made).toEqual([1, 2, 4, 5]);
    expect(state.status).toBe('done');
  });
});

describe('tool calls at once', () => {
  test('never more than eight; all are made, in their order', async () => {
    const { most, made, state } = await counted([counts(1, 30), 'Thirty.']);
    expect(most).toBe(8);
    expect(made).toEqual(Array.from({ length: 30 }, (_, index) => index + 1));
    expect(state.toolCalls.map(({ output }) => output)).toEqual(made);
  });

  test.each([
    [1, 1],
    [3, 3],
    [Infinity, 20],
  ])('limits.concurrentToolCalls: %d', async (concurrentToolCalls, most) => {
    expect((await counted([counts(1, 20), 'Twenty.'], { concurrentToolCalls })).most).toBe(most);
  });

  test('those of all agents together', async () => {
    const tool = busyTool();
    const { state } = await play(
      (prompt) => {
        for (const name of ['a', 'b', 'c', 'd']) {
          prompt.defAgent(
            name,
            '',
            z.object({}),
            (_args, own) => {
              tool.define(own);
              own.$`Count.`;
            },
            { model: scriptedModel([counts(1, 6), 'Six.']) },
          );
        }
        prompt.$`Go.`;
      },
      [['a', 'b', 'c', 'd'].map((name) => call(name)), 'Twenty-four.'],
    );
    expect(state).toMatchObject({ status: 'done', text: 'Twenty-four.' });
    expect(tool.made).toHaveLength(24);
    expect(tool.most()).toBe(8);
  });

  test('nested agents wait for one another with a single permit', async () => {
    const tool = busyTool(1);
    const { state } = await play(
      (prompt) => {
        for (const name of ['a', 'b', 'c']) {
          prompt.defAgent(
            name,
            '',
            z.object({}),
            (_args, own) => {
              own.defAgent(
                'inner',
                '',
                z.object({}),
                (_none, deep) => {
                  tool.define(deep);
                  deep.$`Count.`;
                },
                { model: scriptedModel([counts(1, 3), 'Three.']) },
              );
              own.$`Go.`;
            },
            { model: scriptedModel([[call('inner')], 'Done.']) },
          );
        }
        prompt.$`Go.`;
      },
      [['a', 'b', 'c'].map((name) => call(name)), 'Nine.'],
      { options: { limits: { concurrentToolCalls: 1 } } },
    );
    expect(state).toMatchObject({ status: 'done', text: 'Nine.' });
    expect(tool.made).toHaveLength(9);
    expect(tool.most()).toBe(1);
  });

  test('a call that fails releases its permit', async () => {
    const { state } = await play(
      (prompt) => {
        prompt.defTool('fail', '', numbered, async ({ n }) => {
          await Promise.resolve();
          throw new Error(`no ${n}`);
        });
        prompt.defTool('slow', '', numbered, () => new Promise(() => {}), { timeoutMs: 10 });
        prompt.$`Go.`;
      },
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

  test('a call whose time is over keeps its permit while its function works, for at most as long again', async () => {
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

  test('no step begins once they are used up', async () => {
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

  test('a run that has them left continues', async () => {
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

  test('a complete answer counts, whatever it has used', async () => {
    const { state } = await counted([['Done.', uses(200, 20)]], { tokens: 100 });
    expect(state).toMatchObject({ status: 'done', text: 'Done.', usage: { totalTokens: 220 } });
  });

  test('without a limit, any number', async () => {
    const { state } = await counted([[call('count', { n: 1 }), uses(1e9, 1e9)], 'Done.']);
    expect(state.status).toBe('done');
  });
});

describe('identical calls', () => {
  const look = [call('look', { at: 'x', of: { b: 1, a: 2 } })];
  const looking =
    (made: unknown[], options: { repeatable?: boolean; effect?: 'read' | 'write' } = {}): PromptSource =>
    (prompt) => {
      const schema = z.object({ at: z.string(), of: z.object({ a: z.number(), b: z.number() }).optional() });
      prompt.defTool('look', '', schema, (args) => made.push(args), options);
      prompt.defTool('write', '', numbered, ({ n }) => n, { effect: 'write' });
      prompt.$`Go.`;
    };

  test('the 2nd is answered from the first with a note, the 3rd refused, the 6th ends the run', async () => {
    const made: unknown[] = [];
    const { model, result, state } = await play(looking(made), [
      look,
      look,
      look,
      look,
      look,
      look,
      'Never.',
    ]);
    expect(made).toHaveLength(1);
    expect(sent(model).map(({ messages }) => messages.at(-1))).toEqual([
      'user: Go.',
      'look answers 1',
      'look answers [{"type":"text","text":"1"},{"type":"text","text":"look was not run again: this is the result of the same call before. Do not make this call again."}]',
      'look fails: look was not run: this is call 3 with the same arguments. Use the result that you have, change the arguments, or go on without it. Call 6 ends the run.',
      'look fails: look was not run: this is call 4 with the same arguments. Use the result that you have, change the arguments, or go on without it. Call 6 ends the run.',
      'look fails: look was not run: this is call 5 with the same arguments. Use the result that you have, change the arguments, or go on without it. Call 6 ends the run.',
    ]);
    expect(state).toMatchObject({
      status: 'error',
      error: { code: 'loop_detected', details: { toolName: 'look', calls: 6 } },
    });
    // the log has the result as it was, without the note to the model
    expect(state.toolCalls.map(({ output }) => output)).toEqual([
      1,
      1,
      undefined,
      undefined,
      undefined,
      undefined,
    ]);
    await expect(Promise.resolve(result.text)).rejects.toMatchObject({ code: 'loop_detected' });
  });

  test('in another order of keys they are the same', async () => {
    const made: unknown[] = [];
    await play(looking(made), [look, [call('look', { of: { a: 2, b: 1 }, at: 'x' })], 'Done.']);
    expect(made).toHaveLength(1);
  });

  test('in one step: the second waits for the result of the first', async () => {
    let made = 0;
    const { run } = await play(
      go((prompt) =>
        prompt.defTool('slow', '', z.object({}), async () => {
          await after(10);
          return (made += 1);
        }),
      ),
      [[call('slow'), call('slow')], 'Done.'],
    );
    expect(made).toBe(1);
    expect(run.getState().toolCalls.map(({ output, state }) => [output, state])).toEqual([
      [1, 'output-available'],
      [1, 'output-available'],
    ]);
  });

  test('a tool that is repeatable is exempt', async () => {
    const made: unknown[] = [];
    const { state } = await play(looking(made, { repeatable: true }), [
      look,
      look,
      look,
      look,
      look,
      look,
      look,
      'Ok.',
    ]);
    expect(made).toHaveLength(7);
    expect(state.status).toBe('done');
  });

  test('a call that failed may be tried again', async () => {
    let tries = 0;
    const { state } = await play(
      go((prompt) =>
        prompt.defTool('flaky', '', z.object({}), () => {
          tries += 1;
          if (tries < 4) throw new Error('not yet');
          return 'now';
        }),
      ),
      [...Array.from({ length: 4 }, () => [call('flaky')]), 'Done.'],
    );
    expect(state.status).toBe('done');
    expect(state.toolCalls.map(({ output }) => output)).toEqual([undefined, undefined, undefined, 'now']);
  });

  test('what was read may be read again after something was written', async () => {
    const made: unknown[] = [];
    const write = (n: number) => [call('write', { n })];
    const { state } = await play(looking(made, { effect: 'read' }), [
      look,
      write(1),
      look,
      write(2),
      look,
      'Done.',
    ]);
    expect(made).toHaveLength(3);
    expect(state.status).toBe('done');
  });

  test('each agent is counted by itself', async () => {
    const made: string[] = [];
    const work = (prompt: Prompt) => {
      prompt.defTool('look', '', z.object({}), () => void made.push('look'));
      prompt.$`Go.`;
    };
    const { state } = await play(
      (prompt) => {
        work(prompt);
        prompt.defAgent('child', '', numbered, (_args, own) => work(own));
      },
      [
        [call('look')],
        [call('child', { n: 1 })],
        [call('look')],
        'A',
        [call('child', { n: 2 })],
        [call('look')],
        'B',
        'Done.',
      ],
    );
    expect(state.status).toBe('done');
    expect(made).toHaveLength(3);
  });
});

test('limits that make no sense are refused before the run', async () => {
  const started = runPrompt((prompt) => prompt.$`Go.`, {
    model: scriptedModel([]),
    options: { limits: { steps: 0 } },
  });
  await expect(started).rejects.toMatchObject({
    code: 'invalid_options',
    message: 'options.limits.steps is 0. Give a whole number from 1 on, or Infinity for no limit.',
  });
});
