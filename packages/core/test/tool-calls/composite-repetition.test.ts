import { tool, type ToolOptions } from '@cueline/core';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { sent } from '../sent-requests.ts';
import { call, go, play } from '../support.ts';
import { type Call, batch, none, echo, say } from '../support/composite.ts';

test('each call inside a composite call counts toward the limit of tool calls', async () => {
  const calls = [say('1'), say('2'), say('3'), say('4')];
  const enough = await batch([echo], calls, { options: { limits: { toolCalls: 4 } } });
  expect(enough.run.getState().status).toBe('done');
  const { run, toolCall } = await batch([echo], calls, { options: { limits: { toolCalls: 3 } } });
  expect(run.getState()).toMatchObject({
    status: 'error',
    error: { code: 'budget_exceeded', details: { limit: 'toolCalls', allowed: 3 } },
  });
  expect(toolCall.subCalls).toHaveLength(3);
});

test('repeating the same calls is a repetition', async () => {
  let made = 0;
  const input = { calls: [{ name: 'count', args: {} }] };
  const { model, state } = await play(
    go((prompt) => prompt.defTool('kit', '', [tool('count', '', none, () => (made += 1))])),
    [[call('kit', input)], [call('kit', input)], 'Done.'],
  );
  expect(made).toBe(1);
  const counted = { results: [{ name: 'count', result: 1 }] };
  expect(state.toolCalls.map(({ output }) => output)).toEqual([counted, counted]);
  expect(sent(model)[2]!.messages.at(-1)).toContain('kit was not run again');
});

describe('a repeated call inside one composite call', () => {
  const read = (made: string[], options: ToolOptions<{ path: string }> = {}) =>
    tool(
      'read',
      '',
      z.object({ path: z.string() }),
      ({ path }) => {
        made.push(`read ${path}`);
        return made.length;
      },
      options,
    );
  const a: Call = { name: 'read', args: { path: 'a' } };
  const refused = (count: number) => ({
    error: `kit.read was not run: this is call ${count} with the same arguments. Use the result that you have, change the arguments, or go on without it. Call 6 ends the run.`,
  });

  test.each<ToolOptions<{ path: string }>>([{}, { effect: 'read' }])(
    'gets the earlier result, then a refusal: %j',
    async (options) => {
      const made: string[] = [];
      const { output, run, toolCall } = await batch([read(made, options), echo], [a, a, a, a, say('on')]);
      expect(made).toEqual(['read a']);
      expect(output).toEqual({
        results: [
          { name: 'read', result: 1 },
          {
            name: 'read',
            result: 1,
            note: 'kit.read was not run again: this is the result of the same call before. Do not make this call again.',
          },
          { name: 'read', result: refused(3) },
          { name: 'read', result: refused(4) },
          { name: 'echo', result: 'on' },
        ],
      });
      expect(toolCall.subCalls?.map(({ state }) => state)).toEqual([
        'output-available',
        'output-available',
        'output-error',
        'output-error',
        'output-available',
      ]);
      expect(run.getState().status).toBe('done');
    },
  );

  test('ends the run after a hundred repetitions', async () => {
    const made: string[] = [];
    const { run } = await batch(
      [read(made)],
      Array.from({ length: 100 }, () => a),
    );
    expect(made).toEqual(['read a']);
    expect(run.getState()).toMatchObject({
      status: 'error',
      error: { code: 'loop_detected', details: { toolName: 'kit.read', calls: 6 } },
    });
  });

  test('runs each time if the part or the whole tool is repeatable', async () => {
    const made: string[] = [];
    await batch(
      [read(made, { repeatable: true })],
      Array.from({ length: 7 }, () => a),
    );
    expect(made).toHaveLength(7);
    await play(
      go((prompt) => prompt.defTool('kit', '', [read(made)], { repeatable: true })),
      [[call('kit', { calls: Array.from({ length: 7 }, () => a) })], 'Done.'],
    );
    expect(made).toHaveLength(14);
  });

  test('runs again after a write if it reads', async () => {
    const made: string[] = [];
    const write = tool('write', '', none, () => void made.push('write'), { effect: 'write' });
    await batch([read(made, { effect: 'read' }), write], [a, { name: 'write' }, a]);
    expect(made).toEqual(['read a', 'write', 'read a']);
  });

  test('each inner call counts toward the limit of its step, and calls beyond it are refused', async () => {
    const { output, run } = await batch([echo], [say('1'), say('2'), say('3')], {
      options: { limits: { toolCallsPerStep: 2 } },
    });
    expect(output).toEqual({
      results: [
        { name: 'echo', result: '1' },
        { name: 'echo', result: '2' },
        {
          name: 'echo',
          result: {
            error:
              'One step may make 2 tool calls, and this is one more. If that is too low, raise options.limits.toolCallsPerStep; Infinity means no limit.',
          },
        },
      ],
    });
    expect(run.getState().status).toBe('done');
  });
});
