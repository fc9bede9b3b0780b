import type { LanguageModelV4 } from '@ai-sdk/provider';
import {
  createRun,
  definePrompt,
  tool,
  type CuelineError,
  type Limits,
  type ToolContext,
} from '@cueline/core';
import { defineAgent, tags, type CallErrorDetails } from '@cueline/core/agents';
import { dialogFromJSON } from '@cueline/core/agents';
import { scriptedModel, type ScriptedTurn } from '@cueline/core/testing';
import { expect, test, vi } from 'vitest';
import * as z from 'zod';
import { faultOf, lines } from './calls.ts';

/** A model whose answer depends on who asks, and on whether its calls have their results. */
function modelOf(answer: (instructions: string, isAnswered: boolean) => ScriptedTurn): LanguageModelV4 {
  return {
    ...scriptedModel([]),
    doStream(call) {
      const [first] = call.prompt;
      const isAnswered = call.prompt.some(({ role }) => role === 'tool');
      return scriptedModel([answer(first?.role === 'system' ? first.content : '', isAnswered)]).doStream(
        call,
      );
    },
  };
}

/** An agent that asks another one `asks` times at once, by a tool each, and what was seen of the places. */
async function play(asks: number, limits: Partial<Limits>): Promise<{ answers: unknown[]; most: number }> {
  let running = 0;
  let most = 0;
  const work = async <Value>(value: Value): Promise<Value> => {
    most = Math.max(most, (running += 1));
    await new Promise((resolve) => setTimeout(resolve, 2));
    running -= 1;
    return value;
  };
  const input = z.object({ n: z.number() });
  const look = tool('look', 'Look', input, ({ n }) => work(n));
  const inner = defineAgent({ name: 'inner', instructions: 'Inner.', tools: [look] });
  const ask = tool('ask', 'Ask', input, async ({ n }, context) => {
    await work(n);
    const both = await Promise.all([inner.call('a', { context }), inner.call('b', { context })]);
    await work(n);
    return both.map(({ output }) => output);
  });
  const outer = defineAgent({ name: 'outer', instructions: 'Outer.', tools: [ask], limits });
  const call = (name: string) => (_: unknown, n: number) => ({ toolCall: { name, input: { n } } });
  const model = modelOf((instructions, isAnswered) => {
    if (isAnswered) return 'Done.';
    return instructions === 'Outer.' ? Array.from({ length: asks }, call('ask')) : [0, 1].map(call('look'));
  });
  const { calls } = await outer.call('Go.', { model });
  return { answers: calls.map(({ output }) => output), most };
}

test.each([
  { concurrentToolCalls: 8, asks: 8 },
  { concurrentToolCalls: 3, asks: 10 },
  { concurrentToolCalls: 1, asks: 2 },
])(
  'tools that call agents, $asks at once with $concurrentToolCalls permits, leave permits for the agents’ tools',
  async ({ asks, concurrentToolCalls }) => {
    const { answers, most } = await play(asks, { concurrentToolCalls });
    expect(answers).toEqual(Array.from({ length: asks }, () => ['Done.', 'Done.']));
    expect(most).toBe(concurrentToolCalls);
  },
);

test('a call in a run that ends reports why, and how far it got', async () => {
  const faults: CuelineError[] = [];
  const look = tool('look', 'Look', z.object({}), () => 'seen');
  const inner = defineAgent({ name: 'inner', instructions: 'Inner.', tools: [look] });
  const ask = tool('ask', 'Ask', z.object({}), async (_, context) => {
    faults.push(await faultOf(inner.call('a', { context })));
  });
  const model = (): LanguageModelV4 =>
    modelOf((instructions) => [{ toolCall: { name: instructions === 'Outer.' ? 'ask' : 'look' } }]);
  for (const limits of [{ steps: 2 }, { depth: 0, steps: 1 }]) {
    const outer = defineAgent({ name: 'outer', instructions: 'Outer.', tools: [ask], limits });
    await faultOf(outer.call('Go.', { model: model() }));
  }
  await vi.waitUntil(() => faults.length === 2);
  expect(faults).toMatchObject([
    {
      code: 'budget_exceeded',
      details: {
        limit: 'steps',
        event: 'limit',
        state: 'interrupted',
        interrupts: 1,
        calls: [{ toolName: 'look', output: 'seen' }],
      },
    },
    { code: 'budget_exceeded', details: { limit: 'depth', event: 'limit', state: 'asking', calls: [] } },
  ]);
  expect(lines((faults[0]!.details as CallErrorDetails).dialog.messages)).toEqual([
    'user: a',
    'assistant: look({})',
    'tool: = "seen"',
  ]);
});

test('the error of a run that failed because of a call can be stored and sent, with the dialog as JSON', async () => {
  const inner = defineAgent({ name: 'inner', instructions: 'Inner.', output: tags(['answer']) });
  const prompt = definePrompt('asks', async () => {
    await inner.call('What?', { model: scriptedModel(['a', 'b', 'c', 'd']) });
  });
  const run = createRun(prompt, { model: scriptedModel([]) });
  const fault = await faultOf(run.start());
  expect(fault.code).toBe('parse_failed');
  const ending = structuredClone(run.log()).at(-1);
  const details = ending?.type === 'run-end' ? ending.error?.details : undefined;
  const dialog = dialogFromJSON(details?.['dialog']);
  expect(lines(dialog.messages)).toEqual(['user: What?']);
});

test('a call that outlives its run is aborted, and a call after it calls no model', async () => {
  const late: Promise<unknown>[] = [];
  let asked = 0;
  let over: () => void = () => {};
  const isOver = new Promise<void>((resolve) => (over = resolve));
  const model: LanguageModelV4 = {
    ...scriptedModel([]),
    async doStream(call) {
      asked += 1;
      if (asked === 2) await isOver;
      return scriptedModel(['Done.']).doStream(call);
    },
  };
  const inner = defineAgent({ name: 'inner', instructions: 'Inner.', model });
  const contexts: ToolContext[] = [];
  const ask = tool('ask', 'Ask', z.object({}), (_, context) => {
    contexts.push(context);
    late.push(...['a', 'b'].map((input) => inner.call(input, { context }).catch((error: unknown) => error)));
    return 'asked';
  });
  const outer = defineAgent({ name: 'outer', instructions: 'Outer.', tools: [ask] });
  await outer.call('Go.', { model: scriptedModel([[{ toolCall: { name: 'ask' } }], 'Done.']) });
  over();
  const message = expect.stringMatching(/^The run that the agent inner was called in has ended, /) as string;
  expect(await late[1]).toMatchObject({ code: 'aborted', message });
  expect(await faultOf(inner.call('c', { context: contexts[0]! }))).toMatchObject({
    code: 'aborted',
    message,
  });
  expect(asked).toBe(2);
});

test('a repeated call inside a composite tool waits without a permit', { timeout: 4_000 }, async () => {
  const inner = defineAgent({ name: 'inner', instructions: 'Inner.', model: scriptedModel(['Helped.']) });
  const ask = tool('ask', 'Ask', z.object({}), async (_, context) => {
    return (await inner.call('Help.', { context })).output;
  });
  const look = tool('look', 'Look', z.object({}), () => 'seen');
  const definition = definePrompt('kits', (prompt) => {
    prompt.defTool('kit', 'A kit', [ask, look]);
    prompt.$`Go.`;
  });
  const kit = (...names: string[]) => ({
    toolCall: { name: 'kit', input: { calls: names.map((name) => ({ name, args: {} })) } },
  });
  const run = createRun(definition, {
    model: scriptedModel([[kit('ask'), kit('ask', 'look')], 'Done.']),
    options: { limits: { concurrentToolCalls: 1 } },
  });
  expect(await run.start()).toBe('Done.');
  const helped = { name: 'ask', result: 'Helped.' };
  const note = expect.stringContaining('kit.ask was not run again') as string;
  expect(run.getState().toolCalls.map(({ output }) => output)).toEqual([
    { results: [helped] },
    {
      results: [
        { ...helped, note },
        { name: 'look', result: 'seen' },
      ],
    },
  ]);
});
