import { type Prompt } from '@cueline/core';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { sent } from '../sent-requests.ts';
import { call, go, play } from '../support.ts';
import { numbered } from '../support/limits.ts';
import { after } from '../support/runs.ts';

describe('identical calls', () => {
  test('the 2nd gets the first result with a note, the 3rd is refused, and the 6th ends the run', async () => {
    const made: unknown[] = [];
    const look = [call('look', { at: 'x', of: { b: 1, a: 2 } })];
    const same = [call('look', { of: { a: 2, b: 1 }, at: 'x' })];
    const schema = z.object({ at: z.string(), of: z.object({ a: z.number(), b: z.number() }) });
    const { model, result, state } = await play(
      go((prompt) => prompt.defTool('look', '', schema, (args) => made.push(args))),
      [look, same, look, same, look, same, 'Never.'],
    );
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
      error: {
        code: 'loop_detected',
        message:
          "The model called look 6 times with the same arguments, so the run was ended. If that is intended, as for a tool that polls, define the tool with { repeatable: true }, or exempt it in the options of the run: { loopGuard: { tools: { 'look': false } } }.",
        details: { toolName: 'look', calls: 6 },
      },
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

  test('in one step, the second waits for the result of the first', async () => {
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

  test('a failed call may be retried', async () => {
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

  test('each agent is counted separately', async () => {
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
