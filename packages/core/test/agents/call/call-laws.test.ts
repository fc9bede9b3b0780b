import { CuelineError, tool } from '@cueline/core';
import { defineAgent, tags, type CallErrorDetails } from '@cueline/core/agents';
import { scriptedModel, type ScriptedTurn } from '@cueline/core/testing';
import type { ModelMessage } from 'ai';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import * as z from 'zod';
import { checkAnswered } from '../../../src/messages/check-messages.ts';
import { call, throwing } from '../../support.ts';
import { sample } from '../../support/sample.ts';
import { lines } from './calls.ts';

const look = tool('look', 'Look', z.object({ at: z.number() }), ({ at }) => `seen ${at}`);
const fails = tool('fails', 'Fails', z.object({}), throwing(new Error('out of order')));

/** What a model may do with its turn. */
const turn: fc.Arbitrary<ScriptedTurn> = fc.oneof(
  { weight: 2, arbitrary: fc.constant('<answer>good</answer>') },
  { weight: 4, arbitrary: fc.constantFrom('bad', 'bad <answer>', 'bad </answer> more') },
  { weight: 2, arbitrary: fc.constantFrom<ScriptedTurn[]>('', ' \n', [], [{ reasoning: 'hm' }]) },
  { weight: 4, arbitrary: fc.nat({ max: 3 }).map((at) => [call('look', { at })]) },
  {
    weight: 2,
    arbitrary: fc
      .array(fc.nat({ max: 3 }), { minLength: 2, maxLength: 3 })
      .map((places) => ['Let me see.', ...places.map((at) => call('look', { at }))]),
  },
  // a model that numbers its calls anew
  { weight: 1, arbitrary: fc.nat({ max: 9 }).map((at) => [call('look', { at }, 'c1')]) },
  {
    weight: 2,
    arbitrary: fc.constantFrom<ScriptedTurn[]>(
      [call('fly', {})],
      [call('look', { at: 'there' })],
      [call('look', '{"at":')],
      [call('fails', {})],
      [call('look', { at: 1 }), call('fly', {})],
    ),
  },
  {
    weight: 1,
    arbitrary: fc.constantFrom<ScriptedTurn[]>(
      [{ throw: { message: 'no', status: 401 } }],
      ['bad', { error: { message: 'broke' } }],
      [call('look', { at: 1 }), { error: { message: 'broke' } }],
      ['bad', { finish: { reason: 'error' } }],
      [call('look', { at: 1 }), { finish: { reason: 'length' } }],
    ),
  },
);

const settings = fc.record({
  maxExceptionRetries: fc.nat({ max: 3 }),
  maxInterrupts: fc.nat({ max: 4 }),
  onInterrupt: fc.constantFrom(undefined, 'So far: {call_results}'),
});

function texts(messages: readonly ModelMessage[]): string {
  return lines(messages).join('\n');
}

/** One call for each way in which a call can end. */
const eachEnd = [
  ['<answer>good</answer>'],
  ['bad'],
  [[{ throw: { message: 'no', status: 401 } }]],
  [['bad', { error: { message: 'broke' } }]],
  [['bad', { finish: { reason: 'error' } }]],
].map(
  (
    turns,
  ): [{ maxExceptionRetries: number; maxInterrupts: number; onInterrupt: undefined }, ScriptedTurn[]] => [
    { maxExceptionRetries: 0, maxInterrupts: 0, onInterrupt: undefined },
    turns as ScriptedTurn[],
  ],
);

test('every call ends within its bounds, with a valid answer or with the reason why there is none', async () => {
  const ends = new Set<string>();
  await fc.assert(
    fc.asyncProperty(settings, fc.array(turn, { minLength: 1, maxLength: 24 }), async (given, turns) => {
      const model = scriptedModel(turns);
      const agent = defineAgent({
        name: 'it',
        instructions: 'Talk.',
        tools: [look, fails],
        output: tags(['answer']),
        onException: 'WRONG {error_message}',
        model,
        ...given,
      });
      let dialog;
      try {
        const result = await agent.call('Begin.');
        ({ dialog } = result);
        ends.add('done');
        expect(result.output).toEqual({ answer: 'good' });
        const made = dialog.messages.flatMap(({ role, content }) =>
          role === 'assistant' && typeof content !== 'string'
            ? content.filter(({ type }) => type === 'tool-call')
            : [],
        );
        expect(result.calls).toHaveLength(made.length);
        expect(result.attempts).toBeGreaterThan(0);
      } catch (error) {
        if (!CuelineError.isInstance(error)) throw error;
        ends.add(error.code);
        const details = error.details as CallErrorDetails;
        ({ dialog } = details);
        expect(details.exceptions).toBeLessThanOrEqual(given.maxExceptionRetries + 1);
        expect(details.interrupts).toBeLessThanOrEqual(given.maxInterrupts);
      }
      expect(model.calls.length).toBeLessThanOrEqual(
        (given.maxInterrupts + 1) * (given.maxExceptionRetries + 1),
      );
      // nothing of what could not be used, and no call without its result
      expect(texts(dialog.messages)).not.toMatch(/bad|WRONG/);
      expect(() => checkAnswered(dialog.messages)).not.toThrow();
      for (const { prompt } of model.calls) {
        expect(() => checkAnswered(prompt as ModelMessage[])).not.toThrow();
        expect(lines(prompt).slice(0, 2)).toEqual([expect.stringMatching(/^system: /), 'user: Begin.']);
      }
    }),
    { numRuns: sample(400), examples: eachEnd },
  );
  // all that can happen did
  expect([...ends].toSorted()).toEqual(
    expect.arrayContaining(['auth', 'done', 'parse_failed', 'provider_error', 'stream_truncated']),
  );
}, 60_000);
