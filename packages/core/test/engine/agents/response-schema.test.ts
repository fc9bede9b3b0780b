import type { PromptSource } from '@cueline/core';
import type { ScriptedTurn } from '@cueline/core/testing';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { sent } from '../../sent-requests.ts';
import { call, go, play } from '../../support.ts';
import { failOnUnhandledRejections, none } from '../../support/agent-trees.ts';

failOnUnhandledRejections();

describe('responseSchema', () => {
  const schema = z.object({ city: z.string(), days: z.number().int() });
  const planner: PromptSource = (prompt) => {
    prompt.defAgent('plan', '', none, (_args, own) => own.$`Plan.`, { responseSchema: schema });
    prompt.$`Go.`;
  };
  const good = '{"city":"Faro","days":3}';

  test.each<[string, string, unknown]>([
    ['as it is', good, { city: 'Faro', days: 3 }],
    ['in a fenced block', `\`\`\`json\n${good}\n\`\`\``, { city: 'Faro', days: 3 }],
    ['in a block without a language', `\`\`\`\n${good}\n\`\`\`\n`, { city: 'Faro', days: 3 }],
    ['with space around it', `\n  ${good}\n`, { city: 'Faro', days: 3 }],
    ['with more fields than the schema has', '{"city":"Faro","days":3,"x":1}', { city: 'Faro', days: 3 }],
  ])('accepts an answer %s', async (_how, answer, output) => {
    const { model, state } = await play(planner, [[call('plan')], answer, 'Done.']);
    expect(state.toolCalls[0]!.output).toEqual(output);
    expect(state.agents[0]).toMatchObject({ status: 'done', output });
    expect(sent(model)[2]!.messages.at(-1)).toBe(`plan answers ${JSON.stringify(output)}`);
  });

  test('sends an invalid answer back with what is wrong', async () => {
    const { model, state } = await play(planner, [
      [call('plan')],
      '{"city":"Faro","days":"three"}',
      good,
      'Done.',
    ]);
    expect(sent(model)[2]!.messages).toEqual([
      'user: Plan.',
      'assistant: {"city":"Faro","days":"three"}',
      'user: Your answer does not fit what is asked for: days: Invalid input: expected number, received string\nAnswer again with the whole JSON and nothing else.',
    ]);
    expect(state.toolCalls[0]!.output).toEqual({ city: 'Faro', days: 3 });
    expect(state.agents[0]!.steps[1]!.steered).toMatchObject([{ cause: 'output' }]);
  });

  test('fails the call after three attempts', async () => {
    const { model, state } = await play(planner, [[call('plan')], 'Faro', '{"city":1}', '', 'It failed.']);
    expect(state).toMatchObject({ status: 'done', text: 'It failed.' });
    expect(
      sent(model)
        .slice(2, 4)
        .map(({ messages }) => messages.at(-1)),
    ).toEqual([
      expect.stringContaining('it is not JSON') as string,
      expect.stringContaining(
        'city: Invalid input: expected string, received number; days: Invalid input',
      ) as string,
    ]);
    expect(sent(model)[4]!.messages.at(-1)).toBe(
      'plan fails: The agent plan gave no answer: The answer did not fit its schema after 3 attempts. Try another model, or a simpler schema. What did not fit: it is empty',
    );
    expect(state.agents[0]).toMatchObject({ status: 'error', error: { code: 'parse_failed' } });
  });

  const shout = z.object({ city: z.string().transform((city) => city.toUpperCase()) });
  const json = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] } as const;
  test.each<[string, typeof shout | typeof json | typeof schema, ScriptedTurn[], unknown]>([
    ['of a schema that changes what it reads', shout, ['{"city":"Faro"}'], { city: 'FARO' }],
    ['of plain JSON Schema', json, ['{"city":"Faro"}'], { city: 'Faro' }],
    ['after the agent’s tools', schema, [['I look.', call('look')], good], { city: 'Faro', days: 3 }],
  ])('the parent gets the value %s', async (_what, responseSchema, turns, output) => {
    const { state } = await play(
      go((prompt) =>
        prompt.defAgent(
          'plan',
          '',
          none,
          (_args, own) => {
            own.defTool('look', '', none, () => 'Faro');
            own.$`Plan.`;
          },
          { responseSchema },
        ),
      ),
      [[call('plan')], ...turns, 'Done.'],
    );
    expect(state.toolCalls[0]!.output).toEqual(output);
  });
});
