// What the model is sent once a hook has removed messages: never a tool call without its result.
import type { ModelMessage } from 'ai';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { sent } from '../sent-requests.ts';
import { hooked, look } from '../support/hooked-runs.ts';
import { sample } from '../support/sample.ts';

describe('messages that a hook removes', () => {
  test.each<[string, (messages: ModelMessage[]) => ModelMessage[]]>([
    ['only the result', (messages) => messages.slice(-1)],
    ['the first two messages', (messages) => messages.slice(0, 2)],
    ['all but the results', (messages) => messages.filter(({ role }) => role !== 'tool')],
    ['all but the calls', (messages) => messages.filter(({ role }) => role !== 'assistant')],
    ['all, in reverse', (messages) => messages.toReversed()],
  ])(
    'take the result of a removed call with them, and the call of a removed result: the hook keeps %s',
    async (_what, cut) => {
      const { model, run } = await hooked([
        ({ messages, stepNumber }) =>
          stepNumber === 0 ? {} : { messages: [{ role: 'user', content: 'Kept.' }, ...cut(messages)] },
      ]);
      expect(run.getState().status).toBe('done');
      expect(sent(model)[1]!.messages.filter((line) => !line.startsWith('user:'))).toEqual([]);
    },
  );

  test('keep the call of an answer whose result is kept', async () => {
    const { model } = await hooked(
      [
        ({ messages, stepNumber }) => ({
          messages:
            stepNumber === 0
              ? messages
              : messages.map((message) =>
                  message.role === 'tool' ? { ...message, content: message.content.slice(1) } : message,
                ),
        }),
      ],
      [[look(1), look(2)], 'Done.'],
    );
    expect(sent(model)[1]!.messages).toEqual([
      'user: Go.',
      'assistant calls look {"n":2}',
      'look answers seen 2',
    ]);
  });

  test('do not include system messages, which belong in the system prompt', async () => {
    const { model, run } = await hooked(
      [({ messages }) => ({ messages: [{ role: 'system', content: 'Psst.' }, ...messages] })],
      ['Done.'],
    );
    expect(run.getState().status).toBe('done');
    expect(sent(model)).toEqual([
      { system: 'role:\nHelper.', messages: ['user: Go.'], tools: ['look', 'touch'] },
    ]);
  });

  test('leave every sent call with its result, for any cut, and return at the next step', async () => {
    const turns = [[look(1), look(2)], ['Hm.', look(3)], [look(4)]];
    await fc.assert(
      fc.asyncProperty(fc.array(fc.boolean(), { minLength: 12, maxLength: 12 }), async (keep) => {
        const { model, run } = await hooked(
          [
            ({ messages, stepNumber }) =>
              stepNumber === 4 || stepNumber === 0
                ? {}
                : {
                    messages: [
                      { role: 'user', content: 'Kept.' } as const,
                      ...messages.filter((_message, index) => keep[index]),
                    ],
                  },
          ],
          [...turns, [look(5)], 'Done.'],
        );
        expect(run.getState().status).toBe('done');
        for (const { messages } of sent(model)) {
          const calls = messages.flatMap((line) => /calls look \{"n":(\d)\}/.exec(line)?.[1] ?? []);
          const answers = messages.flatMap((line) => /answers seen (\d)/.exec(line)?.[1] ?? []);
          expect(answers).toEqual(calls);
        }
        expect(sent(model)[4]!.messages).toHaveLength(12);
      }),
      { numRuns: sample(40) },
    );
  });
});
