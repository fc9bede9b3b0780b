import { defineAgent, tool, type Limits } from '@cueline/core';
import { scriptedModel, type ScriptedTurn } from '@cueline/core/testing';
import type { LanguageModelV4 } from '@ai-sdk/provider';
import { expect, test } from 'vitest';
import * as z from 'zod';

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
  'tools that ask agents, $asks at once with $concurrentToolCalls places, leave the agents’ tools room',
  async ({ asks, concurrentToolCalls }) => {
    const { answers, most } = await play(asks, { concurrentToolCalls });
    expect(answers).toEqual(Array.from({ length: asks }, () => ['Done.', 'Done.']));
    expect(most).toBe(concurrentToolCalls);
  },
);
