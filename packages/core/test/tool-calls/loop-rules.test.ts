import { runPrompt, tool, type PromptOptions } from '@cueline/core';
import { runAgentSession } from '@cueline/core/agents';
import { scriptedModel, type ScriptedTurn } from '@cueline/core/testing';
import { tool as sdkTool } from 'ai';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { sent } from '../sent-requests.ts';
import { go, play } from '../support.ts';

const look: ScriptedTurn = [{ toolCall: { name: 'look', input: { at: 'a' } } }];
const turns = (count: number): ScriptedTurn[] => [...Array.from({ length: count }, () => look), 'Done.'];

/** A ready-made tool, such as those of an MCP server. */
const ready = (made: number[]): NonNullable<PromptOptions['tools']> => ({
  look: sdkTool({
    inputSchema: z.object({ at: z.string() }),
    execute: () => made.push(1),
  }),
});

/** The run's rules for tools by name. */
const ruleFor = (tools: object): PromptOptions => ({ loopGuard: { tools: tools as never } });

/** How often a tool ran, and how the run ended, where the model makes the same call so often. */
async function repeat(count: number, options: PromptOptions, own?: object): Promise<string> {
  const made: number[] = [];
  const { run } = await play(
    go((prompt) => {
      if (options.tools === undefined) {
        prompt.defTool('look', '', z.object({ at: z.string() }), () => made.push(1), {
          effect: 'read',
          ...own,
        });
      }
    }),
    turns(count),
    { options: options.tools === undefined ? options : { ...options, tools: ready(made) } },
  );
  const state = run.getState();
  return `ran ${made.length}: ${state.status === 'error' ? state.error.code : state.status}`;
}

describe('the loop guard', () => {
  test.each<[string, number, PromptOptions, own: object, string]>([
    ['is on by default', 7, {}, {}, 'ran 1: loop_detected'],
    ['is on by default for an AI SDK tool', 7, { tools: {} }, {}, 'ran 1: loop_detected'],
    ['can be off for a tool', 7, {}, { loopGuard: false }, 'ran 7: done'],
    ['is off for a repeatable tool', 7, {}, { repeatable: true }, 'ran 7: done'],
    ['can be off for a run', 7, { loopGuard: false }, {}, 'ran 7: done'],
    ['can be off for a run with an AI SDK tool', 7, { tools: {}, loopGuard: false }, {}, 'ran 7: done'],
    ['can be off for an AI SDK tool', 7, { tools: {}, ...ruleFor({ look: false }) }, {}, 'ran 7: done'],
    [
      'stays on if it is off for another tool',
      7,
      { tools: {}, ...ruleFor({ other: false }) },
      {},
      'ran 1: loop_detected',
    ],
    ['can let a call run more often', 5, {}, { loopGuard: { answerFrom: 4 } }, 'ran 3: done'],
    ['ends a run later then, too', 8, {}, { loopGuard: { answerFrom: 4 } }, 'ran 3: loop_detected'],
    ['can end no run', 8, { loopGuard: { answerFrom: 4, endAt: Infinity } }, {}, 'ran 3: done'],
    ['can end a run early', 3, { tools: {}, ...ruleFor({ look: { endAt: 2 } }) }, {}, 'ran 1: loop_detected'],
    ['can answer never', 4, { loopGuard: { answerFrom: Infinity, refuseFrom: 3 } }, {}, 'ran 2: done'],
    ['can refuse at once', 4, { loopGuard: { answerFrom: 2, refuseFrom: 2 } }, {}, 'ran 1: done'],
    [
      'uses the rule of the tool before the run’s',
      7,
      { loopGuard: false },
      { loopGuard: { endAt: 2 } },
      'ran 1: loop_detected',
    ],
    [
      'uses the run’s rule for the tool',
      7,
      ruleFor({ look: false }),
      { loopGuard: { endAt: 2 } },
      'ran 7: done',
    ],
    ['may be off for the tool alone', 7, { loopGuard: { endAt: 2 } }, { loopGuard: false }, 'ran 7: done'],
  ])('%s', async (_what, count, options, own, expected) => {
    expect(await repeat(count, options, own)).toBe(expected);
  });

  test('applies to a session and its tools', async () => {
    let made = 0;
    const complete: ScriptedTurn = [{ toolCall: { name: 'task_complete', input: { summary: 'Done.' } } }];
    const tools = { look: { inputSchema: z.object({ at: z.string() }), execute: async () => (made += 1) } };
    const { completionReason } = await runAgentSession(scriptedModel([...turns(7).slice(0, 7), complete]), {
      systemPrompt: 'You look.',
      tools,
      options: { loopGuard: { tools: { look: false } } },
    });
    expect({ completionReason, made }).toEqual({ completionReason: 'task_complete', made: 7 });
  });

  test.each<[unknown, string]>([
    [
      { refuseFrom: 1 },
      'options.loopGuard.refuseFrom is 1. Give a whole number of at least 2, or Infinity for never.',
    ],
    [{ ends: 3 }, 'options.loopGuard has no "ends". Did you mean endAt?'],
    [{ tools: { look: true } }, 'options.loopGuard.tools.look takes an object, but got true.'],
    [null, 'options.loopGuard takes an object, but got null.'],
    [
      { answerFrom: 5, refuseFrom: 3 },
      'options.loopGuard.answerFrom is 5, but refuseFrom is 3. Give answerFrom at most 3, or Infinity for never.',
    ],
    [
      { tools: { look: { refuseFrom: 9, endAt: 8 } } },
      'options.loopGuard.tools.look.refuseFrom is 9, but endAt is 8. Give refuseFrom at most 8, or Infinity for never.',
    ],
  ])('refuses %j', async (loopGuard, message) => {
    const options = { loopGuard } as PromptOptions;
    await expect(
      runPrompt((prompt) => prompt.$`Go.`, { model: scriptedModel([]), options }),
    ).rejects.toMatchObject({
      code: 'invalid_options',
      message: expect.stringContaining(message) as string,
    });
  });

  test.each([
    [{ endAt: 0 }, 'endAt is 0. Give a whole number of at least 2, or Infinity for never.'],
    [
      { refuseFrom: 5, endAt: 4 },
      'refuseFrom is 5, but endAt is 4. Give refuseFrom at most 4, or Infinity for never.',
    ],
  ])('refuses the rule %j of a tool', async (loopGuard, message) => {
    const config = { model: scriptedModel([]) };
    await expect(
      runPrompt((prompt) => prompt.defTool('look', '', z.object({}), () => 1, { loopGuard }), config),
    ).rejects.toMatchObject({ code: 'invalid_definition', message: `loopGuard of tool look.${message}` });
  });
});

describe('a repeated call', () => {
  test('is marked for the model, in the log and in the state, also for an AI SDK tool', async () => {
    for (const options of [{}, { tools: ready([]) }]) {
      const { model, events, state } = await play(
        go((prompt) => {
          if (!('tools' in options)) {
            prompt.defTool('look', '', z.object({ at: z.string() }), () => 1, { effect: 'read' });
          }
        }),
        turns(2),
        { options },
      );
      const ends = events.filter(({ type }) => type === 'tool-end') as { repeated?: true }[];
      expect(ends.map(({ repeated }) => repeated)).toEqual([undefined, true]);
      expect(state.toolCalls.map(({ repeated }) => repeated)).toEqual([undefined, true]);
      expect(JSON.stringify(sent(model)[2])).toContain('this is the result of the same call before');
    }
  });

  test('is also marked inside a composite tool', async () => {
    const part = tool('read', '', z.object({ path: z.string() }), () => 'text', { effect: 'read' });
    const call = { name: 'read', args: { path: 'a' } };
    const { model, state } = await play(
      go((prompt) => prompt.defTool('file', '', [part])),
      [[{ toolCall: { name: 'file', input: { calls: [call, call] } } }], 'Done.'],
    );
    expect(state.toolCalls[0]?.subCalls?.map(({ repeated }) => repeated)).toEqual([undefined, true]);
    expect(state.toolCalls[0]?.output).toEqual({
      results: [
        { name: 'read', result: 'text' },
        {
          name: 'read',
          result: 'text',
          note: 'file.read was not run again: this is the result of the same call before. Do not make this call again.',
        },
      ],
    });
    expect(JSON.stringify(sent(model)[1])).toContain('this is the result of the same call before');
  });
});
