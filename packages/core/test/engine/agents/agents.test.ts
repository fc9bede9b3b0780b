import { reduceAll, type Prompt, type RunEvent } from '@cueline/core';
import { scriptedModel } from '@cueline/core/testing';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { sent } from '../../sent-requests.ts';
import { call, go, json, play } from '../../support.ts';
import { down, none, threeLevels } from '../../support/agent-trees.ts';

test('agents of one step work at the same time, each in its own part of the log', async () => {
  const slow = scriptedModel([[{ delay: 300 }, { text: 'slow answer', chunkSize: 3 }]], { modelId: 'slow' });
  const fast = scriptedModel([[call('peek')], [{ text: 'fast answer', chunkSize: 3 }]], { modelId: 'fast' });
  const { run, model } = await play(
    (prompt) => {
      prompt.defAgent('tortoise', '', none, (_args, own) => own.$`Slowly.`, { model: slow });
      prompt.defAgent(
        'hare',
        '',
        none,
        (_args, own) => {
          own.defTool('peek', '', none, () => 'peeked');
          own.$`Quickly.`;
        },
        { model: fast },
      );
      prompt.$`Race.`;
    },
    [[call('tortoise'), call('hare')], 'The hare was first.'],
  );
  expect(run.getState().status).toBe('done');
  expect(sent(model)[1]!.messages).toEqual([
    'user: Race.',
    'assistant calls tortoise {}',
    'assistant calls hare {}',
    'tortoise answers slow answer',
    'hare answers fast answer',
  ]);
  expect(run.getState().agents).toMatchObject([
    {
      name: 'tortoise',
      text: 'slow answer',
      path: 'call-0-0',
      toolCallId: 'call-0-0',
      model: 'simulated:slow',
      status: 'done',
    },
    {
      name: 'hare',
      text: 'fast answer',
      path: 'call-0-1',
      toolCallId: 'call-0-1',
      model: 'simulated:fast',
      status: 'done',
    },
  ]);
  const ends = run.log().flatMap(({ type, agent }) => (type === 'agent-end' ? [agent] : []));
  expect(ends).toEqual(['call-0-1', 'call-0-0']);
  expect(run.getState().toolCalls.map(({ state }) => state)).toEqual([
    'output-available',
    'output-available',
  ]);
});

test('the same agent can run twice in one step, and again under a used id', async () => {
  const { state } = await play(
    go((prompt) =>
      prompt.defAgent('echo', '', z.object({ n: z.number() }), ({ n }, own) => own.$`Say ${n}.`, {
        model: scriptedModel([['a', { delay: 5 }], ['b', { delay: 5 }], 'c']),
      }),
    ),
    [[call('echo', { n: 1 }, 'x'), call('echo', { n: 2 }, 'y')], [call('echo', { n: 3 }, 'x')], 'Done.'],
  );
  expect(state.agents.map(({ path, input, text }) => [path, input, text])).toEqual([
    ['x', { n: 1 }, 'a'],
    ['y', { n: 2 }, 'b'],
    ['x~2', { n: 3 }, 'c'],
  ]);
});

describe('the depth of agents', () => {
  const recursive = (prompt: Prompt): void => {
    prompt.defAgent('dig', '', z.object({ n: z.number() }), (_args, own) => recursive(own));
    prompt.$`Dig.`;
  };
  const digs = (count: number) => Array.from({ length: count }, (_, n) => [call('dig', { n })]);

  test('is limited to five levels for an agent that calls itself', async () => {
    const { model, state } = await play(recursive, [...digs(6), ...Array<string>(6).fill('Up.')]);
    expect(state.status).toBe('done');
    expect(state.agents).toHaveLength(5);
    expect(sent(model)[6]!.messages.at(-1)).toBe(
      'dig fails: Agents may go 5 levels deep, and this is one more. If that is too low, raise options.limits.depth; Infinity means no limit.',
    );
  });

  test.each([
    [0, 0],
    [1, 1],
    [7, 7],
  ])('with a limit of %i is %i', async (depth, agents) => {
    const turns = [...digs(depth + 1), ...Array<string>(depth + 1).fill('Up.')];
    const { state } = await play(recursive, turns, { options: { limits: { depth } } });
    expect(state.status).toBe('done');
    expect(state.agents).toHaveLength(agents);
  });

  test("an agent that calls agents without end stops at the run's limit of steps", async () => {
    const { state } = await play(recursive, digs(60), { options: { limits: { depth: Infinity } } });
    expect(state).toMatchObject({
      status: 'error',
      error: { code: 'budget_exceeded', details: { limit: 'steps' } },
    });
  });
});

test('usage is the sum of the run and of all its agents', async () => {
  const usage = (inputTokens: number, outputTokens: number) => ({
    finish: { usage: { inputTokens, outputTokens } },
  });
  const { state } = await play(
    threeLevels(() => 'ok'),
    [
      [call('outer'), usage(1, 10)],
      [call('inner'), usage(2, 20)],
      [call('work'), usage(4, 40)],
      ['Deep.', usage(8, 80)],
      ['Middle.', usage(16, 160)],
      ['Top.', usage(32, 320)],
    ],
  );
  expect(state.usage).toEqual({ inputTokens: 63, outputTokens: 630, totalTokens: 693 });
  expect(state.agents.map((agent) => agent.usage)).toEqual([
    { inputTokens: 30, outputTokens: 300, totalTokens: 330 },
    { inputTokens: 12, outputTokens: 120, totalTokens: 132 },
  ]);
});

test('an agent inherits the model and limits, but not the settings, hooks, tools or variables of its parent', async () => {
  const { model } = await play(
    go((prompt) => {
      prompt.def('TOPIC', 'tides');
      prompt.defSystem('role', 'Parent.');
      prompt.defTool('look', '', none, () => 'seen');
      prompt.defHook(() => ({ topP: 0.3 }));
      prompt.defAgent('child', '', none, (_args, own) => own.$`Go.`, { maxOutputTokens: 5, seed: 3 });
    }),
    [[call('child')], 'Yes.', 'Done.'],
    { options: { temperature: 0.9, system: 'Parent’s own.', maxOutputTokens: 900 } },
  );
  const { temperature, topP, maxOutputTokens, seed } = model.calls[1]!;
  expect({ temperature, topP, maxOutputTokens, seed }).toEqual({
    temperature: undefined,
    topP: undefined,
    maxOutputTokens: 5,
    seed: 3,
  });
  expect(sent(model)[1]).toEqual({ messages: ['user: Go.'], tools: [] });
});

test('an agent has its own callbacks and prepareStep', async () => {
  const called: string[] = [];
  const { model } = await play(
    go((prompt) =>
      prompt.defAgent('child', '', none, (_args, own) => own.$`Go.`, {
        onStepFinish: ({ text }) => void called.push(`child ${text}`),
        prepareStep: () => ({ temperature: 0.2 }),
      }),
    ),
    [[call('child')], 'Yes.', 'Done.'],
    { options: { onStepFinish: ({ text }) => void called.push(`run ${text}`) } },
  );
  expect(called).toEqual(['child Yes.', 'run ', 'run Done.']);
  expect(model.calls.map(({ temperature }) => temperature)).toEqual([undefined, 0.2, undefined]);
});

test('the time limit of an agent’s call ends the agent, not the run', async () => {
  const { state } = await play(
    go((prompt) =>
      prompt.defAgent(
        'slow',
        '',
        none,
        (_args, own) => {
          own.defTool('wait', '', none, () => new Promise(() => {}));
          own.$`Wait.`;
        },
        { timeoutMs: 30 },
      ),
    ),
    [[call('slow')], [call('wait')], 'Too slow.'],
  );
  expect(state).toMatchObject({ status: 'done', text: 'Too slow.' });
  expect(state.toolCalls[0]!.errorText).toBe('slow took longer than 30 ms, so it was ended.');
  expect(state.agents[0]!.status).toBe('stopped');
});

test('a key that an agent’s server echoes appears in no message', async () => {
  const key = 'plain-words-that-look-like-no-key';
  const { model, state, events } = await play(
    go((prompt) => prompt.defAgent('child', '', none, (_args, own) => own.$`Go.`)),
    [[call('child')], [{ throw: { message: `The key ${key} is wrong.`, status: 401 } }], 'No.'],
    { env: { ANY_API_KEY: key } },
  );
  expect(state.agents[0]).toMatchObject({ status: 'error', error: { code: 'auth' } });
  expect(JSON.stringify(events)).not.toContain(key);
  expect(JSON.stringify(model.calls.map(({ prompt }) => prompt))).not.toContain(key);
});

test('events of agents are in the log under their path, between the start and the end of their call', async () => {
  const { run } = await play(
    threeLevels(() => 'ok'),
    [...down, 'Deep.', 'Middle.', 'Top.'],
  );
  const events = run.log();
  const place = (type: RunEvent['type'], agent: string | undefined) =>
    events.findIndex((event) => event.type === type && event.agent === agent);
  const outer = 'call-0-0';
  const inner = 'call-0-0/call-1-0';
  const places = [
    place('tool-start', undefined),
    place('agent-start', outer),
    place('tool-start', outer),
    place('agent-start', inner),
    place('tool-start', inner),
    place('tool-end', inner),
    place('agent-end', inner),
    place('tool-end', outer),
    place('agent-end', outer),
    place('tool-end', undefined),
  ];
  expect(places).toEqual(places.toSorted((a, b) => a - b));
  expect(places).not.toContain(-1);
  expect(reduceAll(json(events))).toEqual(run.getState());
});
