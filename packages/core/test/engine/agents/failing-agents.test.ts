import type { Prompt, PromptConfig } from '@cueline/core';
import type { ScriptedTurn } from '@cueline/core/testing';
import { describe, expect, test } from 'vitest';
import { sent } from '../../sent-requests.ts';
import { call, go, play, throwing, types } from '../../support.ts';
import { down, failOnUnhandledRejections, none, threeLevels } from '../../support/agent-trees.ts';

failOnUnhandledRejections();

describe('failures of nested agents', () => {
  test('an agent reads the error of its tool, and the run continues', async () => {
    const { model, state } = await play(threeLevels(throwing(new Error('no such file'))), [
      ...down,
      'There is no file.',
      'Inner found none.',
      'None.',
    ]);
    expect(state).toMatchObject({ status: 'done', text: 'None.' });
    expect(
      sent(model)
        .slice(3)
        .map(({ messages }) => messages.at(-1)),
    ).toEqual([
      'work fails: Error: no such file',
      'inner answers There is no file.',
      'outer answers Inner found none.',
    ]);
    expect(state.agents.map(({ status }) => status)).toEqual(['done', 'done']);
  });

  test('a parent reads one sentence about an agent whose model fails, and nothing else', async () => {
    const { model, state } = await play(
      threeLevels(() => 'SECRET RESULT'),
      [
        ...down.slice(0, 2),
        ['SECRET THOUGHT', call('work')],
        ['SECRET HALF', { error: { message: 'overheated' } }],
        'Inner failed.',
        'It failed.',
      ],
    );
    expect(state).toMatchObject({ status: 'done', text: 'It failed.' });
    const [, , , , outer, top] = sent(model);
    expect(outer!.messages).toEqual([
      'user: Call inner.',
      'assistant calls inner {}',
      'inner fails: The agent inner gave no answer: The model reported an error: overheated.',
    ]);
    expect(top!.messages).toEqual([
      'user: Call outer.',
      'assistant calls outer {}',
      'outer answers Inner failed.',
    ]);
    expect(state.agents.map(({ status }) => status)).toEqual(['done', 'error']);
  });

  test.each<[string, string, NonNullable<PromptConfig['options']>['limits'], readonly ScriptedTurn[]]>([
    ['steps', 'steps', { steps: 3 }, [...down, 'Never.']],
    ['tool calls', 'toolCalls', { toolCalls: 2 }, [...down, 'Never.']],
    [
      'tokens',
      'tokens',
      { tokens: 100 },
      [
        ...down.slice(0, 2),
        [call('work'), { finish: { usage: { inputTokens: 90, outputTokens: 90 } } }],
        'Never.',
      ],
    ],
  ])('too many %s end the whole run', async (_what, limit, limits, turns) => {
    const { result, model, state, events } = await play(
      threeLevels(() => 'ok'),
      turns,
      { options: { limits } },
    );
    expect(state).toMatchObject({
      status: 'error',
      error: { code: 'budget_exceeded', details: { limit } },
    });
    expect(model.calls).toHaveLength(3);
    expect(types(events).filter((type) => type === 'run-end')).toHaveLength(1);
    await expect(Promise.resolve(result.text)).rejects.toMatchObject({ code: 'budget_exceeded' });
    expect(state.agents.every(({ status }) => status === 'stopped' || status === 'error')).toBe(true);
  });

  test('a loop ends the whole run', async () => {
    const { result, state } = await play(
      threeLevels(() => 'ok'),
      [...down, ...Array.from({ length: 8 }, () => [call('work')])],
    );
    expect(state).toMatchObject({
      status: 'error',
      error: { code: 'loop_detected', details: { toolName: 'work', calls: 6 } },
    });
    await expect(Promise.resolve(result.text)).rejects.toMatchObject({ code: 'loop_detected' });
    expect(state.agents[1]!.toolCalls).toHaveLength(6);
  });

  test.each<[string, (prompt: Prompt) => void, string]>([
    ['throws', throwing(new TypeError('x is not a function')), 'x is not a function'],
    ['says nothing', () => {}, 'has no message'],
    ['makes a mistake', (own) => own.defSystem('', 'x'), 'cannot name a part'],
  ])('an agent’s function that %s fails only its own call', async (_what, define, text) => {
    const { model, state } = await play(
      go((prompt) => prompt.defAgent('broken', '', none, (_args, own) => define(own))),
      [[call('broken')], 'It is broken.'],
    );
    expect(state).toMatchObject({ status: 'done', agents: [] });
    expect(sent(model)[1]!.messages.at(-1)).toContain(text);
  });

  test('an unknown model of an agent fails only its own call', async () => {
    const { model, state } = await play(
      go((prompt) => prompt.defAgent('lost', '', none, (_args, own) => own.$`Go.`, { model: 'nobody:x' })),
      [[call('lost')], 'It has no model.'],
      { env: {} },
    );
    expect(state.status).toBe('done');
    expect(sent(model)[1]!.messages.at(-1)).toContain('Unknown provider "nobody"');
  });
});
