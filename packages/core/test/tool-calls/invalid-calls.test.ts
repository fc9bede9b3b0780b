import type { PromptConfig } from '@cueline/core';
import { hasToolCall, isStepCount } from 'ai';
import { expect, test } from 'vitest';
import * as z from 'zod';
import { call, go, play } from '../support.ts';

/** A run whose model says the same in every step. */
async function loop(turn: (step: number) => object[], options: PromptConfig['options']) {
  const made: number[] = [];
  const { model, state } = await play(
    go((prompt) => prompt.defTool('look', '', z.object({ n: z.number() }), ({ n }) => void made.push(n))),
    Array.from({ length: 100 }, (_none, step) => turn(step)) as never,
    { options },
  );
  return { state: state, calls: model.calls.length, made };
}

test.each([
  ['an unknown tool', 'nope', {}],
  ['a tool with invalid arguments', 'look', { n: 'one' }],
])('the sixth identical call of %s ends the run', async (_what, name, input) => {
  const { state, calls } = await loop(() => [call(name, input)], { stopWhen: hasToolCall('never') });
  expect(calls).toBe(6);
  expect(state).toMatchObject({
    status: 'error',
    error: {
      code: 'loop_detected',
      message: `The model called ${name} 6 times with the same arguments, although that call cannot run, so the run was ended. The call's error says why it cannot; say in the prompt which tools there are and what they take.`,
      details: { toolName: name, calls: 6 },
    },
  });
});

test('a new call that runs is progress, and an invalid call is not', async () => {
  const turn = (step: number) => [step === 4 ? call('look', { n: 1 }) : call('nope')];
  const { calls } = await loop(turn, {});
  expect(calls).toBe(11);
  const varied = await loop((step) => [call('nope'), call('nope', { step })], {});
  expect([varied.calls, varied.state.status]).toEqual([6, 'error']);
});

test('invalid calls count toward the limit of tool calls, and can end the run', async () => {
  const many = Array.from({ length: 500 }, (_none, n) => call('nope', { n }));
  const { state, calls } = await loop(() => many, {});
  expect([calls, state.steps.length]).toEqual([1, 1]);
  expect(state).toMatchObject({
    status: 'error',
    error: { code: 'budget_exceeded', details: { limit: 'toolCalls', allowed: 200 } },
  });
});

test('a run with stopWhen may have more than 50 steps', async () => {
  const look = (step: number) => [call('look', { n: step })];
  const { calls } = await loop(look, { stopWhen: isStepCount(60) });
  expect(calls).toBe(60);
});
