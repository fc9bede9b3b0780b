import { runPrompt, tool, type Prompt, type ToolSchema } from '@cueline/core';
import { runAgentSession, suspend } from '@cueline/core/agents';
import { scriptedModel } from '@cueline/core/testing';
import { type } from 'arktype';
import * as v from 'valibot';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import * as z3 from 'zod/v3';
import { call, go, play } from '../support.ts';

const price = z.object({ price: z.coerce.number(), currency: z.string().default('EUR') });

/** A run in which the model calls the tool `look` once. */
async function look(define: (prompt: Prompt) => void) {
  const { model, events, state } = await play(
    go((prompt) => define(prompt)),
    [[call('look')], 'Done.'],
  );
  return { call: state.toolCalls[0]!, events, told: JSON.stringify(model.calls[1]!.prompt) };
}

/** The same with a function that returns `result`. */
function returning(result: unknown, outputSchema: ToolSchema) {
  return look((prompt) => prompt.defTool('look', '', z.object({}), () => result, { outputSchema }));
}

describe('the outputSchema of a tool', () => {
  test('decides what the log and the model receive', async () => {
    const { call, told } = await returning({ price: '12', secret: 'x' }, price);
    expect(call).toMatchObject({ state: 'output-available', output: { price: 12, currency: 'EUR' } });
    expect(told).toContain('{"price":12,"currency":"EUR"}');
    expect(told).not.toContain('secret');
  });

  test.each<[string, ToolSchema]>([
    ['zod 4', z.object({ at: z.object({ n: z.number() }) })],
    ['zod 3', z3.object({ at: z3.object({ n: z3.number() }) })],
    ['valibot', v.object({ at: v.object({ n: v.number() }) })],
    ['arktype', type({ at: { n: 'number' } })],
  ])('turns an invalid result into an error with its path: %s', async (_library, schema) => {
    const { call, told } = await returning({ at: { n: 'one' } }, schema);
    expect(call.state).toBe('output-error');
    expect(call).not.toHaveProperty('output');
    expect(call.errorText).toMatch(
      /^Tool look returned something that does not fit its outputSchema: at\.n: .*(number|string)/,
    );
    expect(told).toContain('does not fit its outputSchema: at.n');
    expect((await returning({ at: { n: 1 } }, schema)).call.output).toEqual({ at: { n: 1 } });
  });

  test('checks nothing if it is plain JSON Schema', async () => {
    expect((await returning(7, { type: 'string' })).call.output).toBe(7);
  });

  test('checks only the last of several outputs, and leaves the earlier ones unchanged', async () => {
    async function* outputs() {
      yield { done: 1 };
      yield { price: '3' };
    }
    const { call, events } = await look((prompt) =>
      prompt.defTool('look', '', z.object({}), outputs, { outputSchema: price }),
    );
    expect(call.output).toEqual({ price: 3, currency: 'EUR' });
    const shown = events.flatMap((event) => (event.type === 'tool-preliminary' ? [event.output] : []));
    expect(shown[0]).toEqual({ done: 1 });
    expect(shown).not.toContainEqual({ price: '3' });
    const wrong = await look((prompt) =>
      prompt.defTool(
        'look',
        '',
        z.object({}),
        async function* () {
          yield { price: 1 };
          yield { done: 2 };
        },
        { outputSchema: price },
      ),
    );
    expect(wrong.call.state).toBe('output-error');
    expect(JSON.stringify(wrong.events)).not.toContain('{"done":2}');
  });

  test('applies to results of callbacks, too, and its error does not reach onError', async () => {
    const replaced = (result: unknown) =>
      look((prompt) =>
        prompt.defTool('look', '', z.object({}), () => 'anything', {
          outputSchema: price,
          onSuccess: () => result,
          onError: () => ({ price: 0 }),
        }),
      );
    expect((await replaced({ price: 2 })).call.output).toEqual({ price: 2, currency: 'EUR' });
    expect((await replaced({ prize: 2 })).call.state).toBe('output-error');
  });

  test('of a part in a composite tool fails that part alone', async () => {
    const { state } = await play(
      go((prompt) =>
        prompt.defTool('shop', '', [
          tool('good', '', z.object({}), () => ({ price: '1' }), { outputSchema: price }),
          tool('bad', '', z.object({}), () => ({}), { outputSchema: price }),
        ]),
      ),
      [
        [
          call('shop', {
            calls: [
              { name: 'good', args: {} },
              { name: 'bad', args: {} },
            ],
          }),
        ],
        'Done.',
      ],
    );
    expect(state.toolCalls[0]!.output).toEqual({
      results: [
        { name: 'good', result: { price: 1, currency: 'EUR' } },
        { name: 'bad', result: { error: expect.stringContaining('outputSchema: price: ') } },
      ],
    });
  });

  test('does not apply to suspend() in a session, and reports a mismatch to onError', async () => {
    const errors: string[] = [];
    const ask = (result: unknown) =>
      runAgentSession(scriptedModel([[call('ask')], [{ toolCall: complete }]]), {
        systemPrompt: 'Ask.',
        initialMessage: 'Go.',
        tools: [tool('ask', '', z.object({}), () => result, { outputSchema: z.string() })],
        callbacks: { onError: (_id, { phase, error }) => void errors.push(`${phase} ${error.message}`) },
      });
    const complete = { name: 'task_complete', input: { summary: 'Done.' } };
    const put = await ask(suspend({ question: 'Who?' }));
    expect(put.completionReason).toBe('suspended');
    expect((await ask(7)).completionReason).toBe('task_complete');
    expect(errors).toEqual([
      expect.stringMatching(/^tool_execution Tool ask returned something that does not fit/),
    ]);
  });

  test('checks foreign data that has the form of a suspension', async () => {
    const foreign: unknown = JSON.parse('{"kind":"cueline-suspension","payload":1}');
    expect((await returning(foreign, z.object({ a: z.string() }))).call.state).toBe('output-error');
  });

  test('must be a schema, and is refused for an agent', async () => {
    const define = (outputSchema: unknown, agent = false) =>
      runPrompt(
        go((prompt) => {
          if (agent) prompt.defAgent('look', '', z.object({}), () => {}, { outputSchema } as never);
          else prompt.defTool('look', '', z.object({}), () => 1, { outputSchema: outputSchema as never });
        }),
        { model: scriptedModel([]) },
      );
    await expect(define('text')).rejects.toThrow("The outputSchema of tool look is 'text'. Use a schema");
    await expect(define(z.string(), true)).rejects.toThrow('Describe its answer with responseSchema.');
  });
});
