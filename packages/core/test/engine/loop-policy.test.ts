import { definePrompt, type PromptDefinition } from '@cueline/core';
import { CuelineError } from '@cueline/core';
import { expect, test } from 'vitest';
import * as z from 'zod';
import type { LoopPolicy, LoopPolicySetup } from '../../src/engine/loop-policy.ts';
import { call, json, play } from '../support.ts';

const plain = definePrompt('plain', (prompt) => {
  prompt.defTool('look', 'Look', z.object({ at: z.string() }), ({ at }) => `seen ${at}`);
  prompt.$`Begin.`;
});

function led(policy: Partial<LoopPolicy>, rest: Partial<LoopPolicySetup> = {}): PromptDefinition {
  return {
    ...plain,
    policySetup: async () => ({
      options: {},
      ...rest,
      policy: () => ({ cause: 'session', ...policy }),
    }),
  };
}

const look = (at: string) => [call('look', { at })];
const texts = (prompt: unknown): string[] =>
  (json(prompt) as { role: string; content: { text?: string; type: string }[] | string }[]).map(
    ({ role, content }) =>
      `${role}: ${typeof content === 'string' ? content : content.map((part) => part.text ?? part.type).join(' ')}`,
  );

test('a message of a loop policy after a step is sent to the model, and the run continues', async () => {
  const words = ['Go on.', undefined];
  const { model, state, events } = await play(led({ afterStep: () => words.shift() }), ['One.', 'Two.']);
  expect(state).toMatchObject({ status: 'done', text: 'Two.' });
  expect(texts(model.calls[1]?.prompt)).toEqual(['user: Begin.', 'assistant: One.', 'user: Go on.']);
  expect(events.filter(({ type }) => type === 'steer')).toMatchObject([{ cause: 'session', text: 'Go on.' }]);
});

test('a message of a loop policy is sent after the results of tool calls, too', async () => {
  const words = ['Mind the gap.', undefined];
  const { model } = await play(led({ afterStep: () => words.shift() }), [look('it'), 'Done.']);
  expect(texts(model.calls[1]?.prompt)).toEqual([
    'user: Begin.',
    'assistant: tool-call',
    'tool: tool-result',
    'user: Mind the gap.',
  ]);
});

test('messages of a loop policy replace all others, for later steps too', async () => {
  const seen: number[] = [];
  const { model } = await play(
    led({
      async beforeStep({ stepNumber, messages, steered }) {
        seen.push(messages.length, steered);
        return stepNumber === 1
          ? { messages: [{ role: 'user', content: 'In short: it was seen.' }] }
          : undefined;
      },
    }),
    [look('a'), look('b'), 'Done.'],
  );
  expect(texts(model.calls[1]?.prompt)).toEqual(['user: In short: it was seen.']);
  expect(texts(model.calls[2]?.prompt)).toEqual([
    'user: In short: it was seen.',
    'assistant: tool-call',
    'tool: tool-result',
  ]);
  expect(seen).toEqual([1, 0, 3, 0, 3, 0]);
});

test('no step follows once the policy is done, and its result is the run’s', async () => {
  let steps = 0;
  const policy: Partial<LoopPolicy> = {
    afterStep: () => void (steps += 1),
    done: () => steps === 1,
    result: () => ({ output: { found: true } }),
  };
  const { model, state } = await play(led(policy), [look('it'), 'Never said.']);
  expect(model.calls).toHaveLength(1);
  expect(state).toMatchObject({ status: 'done', result: { found: true } });
});

test('a policy can end a run with an error, or as waiting', async () => {
  const error = new CuelineError('budget_exceeded', 'Enough.');
  const failed = await play(led({ result: () => ({ error }) }), ['One.']);
  expect(failed.run.getState()).toMatchObject({ status: 'error', error: { code: 'budget_exceeded' } });
  const waiting = await play(led({ result: () => ({ waiting: true }) }), ['One.']);
  expect(waiting.run.getState().status).toBe('waiting');
  expect(waiting.events.at(-1)).toMatchObject({ type: 'run-end', outcome: 'waiting' });
});

test('the model of a policy wraps the model of every step, once', async () => {
  let wrapped = 0;
  const { state } = await play(
    led({
      model(model) {
        wrapped += 1;
        return model;
      },
    }),
    [look('a'), 'Done.'],
  );
  expect(state.status).toBe('done');
  expect(wrapped).toBe(1);
});

test('the options of the run override those of a policy', async () => {
  const { model } = await play(
    led({}, { options: { instructions: 'Be kind.', temperature: 0.1, limits: { steps: 1 } } }),
    ['One.'],
    { options: { instructions: 'Be short.', temperature: 0.9 } },
  );
  expect(model.calls[0]).toMatchObject({ temperature: 0.9 });
  expect(texts(model.calls[0]?.prompt)).toEqual(['system: Be kind.\n\nBe short.', 'user: Begin.']);
});

test('a policy can forbid tool calls in a step and still declare the tools', async () => {
  const { model } = await play(
    led({ beforeStep: async ({ stepNumber }) => (stepNumber === 1 ? { toolChoice: 'none' } : undefined) }),
    [look('a'), 'Done.'],
  );
  expect(model.calls[1]).toMatchObject({ toolChoice: { type: 'none' }, tools: [{ name: 'look' }] });
});

test('an error that a policy throws ends the run', async () => {
  const error = new CuelineError('script_error', 'It could not say what comes next.');
  const afterwards = await play(led({ afterStep: () => Promise.reject(error) }), [look('it'), 'Never said.']);
  expect(afterwards.run.getState()).toMatchObject({ status: 'error', error: { message: error.message } });
  expect(afterwards.model.calls).toHaveLength(1);
  const before = await play(led({ beforeStep: () => Promise.reject(error) }), ['Never said.']);
  expect(before.run.getState()).toMatchObject({ status: 'error', error: { message: error.message } });
});
