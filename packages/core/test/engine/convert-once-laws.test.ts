import type { LanguageModelV4Prompt } from '@ai-sdk/provider';
import { type Hook, type PromptOptions } from '@cueline/core';
import { type ScriptedTurn } from '@cueline/core/testing';
import { type ModelMessage } from 'ai';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { call } from '../support.ts';
import { look, file, type Way, playBoth, openCall, unanswered } from '../support/conversion.ts';
import { sample } from '../support/sample.ts';

const pixel = 'iVBORw0KGgo=';

const mark = (message: ModelMessage): ModelMessage => ({
  ...message,
  providerOptions: { test: { cache: true } },
});

const resultOf = (toolCallId: string) =>
  ({ type: 'tool-result', toolCallId, toolName: 'look', output: { type: 'json', value: 1 } }) as const;

describe('converting messages once cannot be observed', () => {
  const turn: fc.Arbitrary<ScriptedTurn> = fc.oneof(
    { weight: 6, arbitrary: fc.array(fc.nat(6).map(look), { minLength: 1, maxLength: 3 }) },
    fc.constantFrom<ScriptedTurn>(
      [{ text: 'Let me see.' }, look(1)],
      [{ reasoning: 'Hm.' }, look(2)],
      [call('nowhere', {})],
      [call('look', '{"n":')],
      [call('finishTask', { result: 'Finished.' })],
      'What else?',
    ),
  );
  const message = fc.constantFrom<ModelMessage[]>(
    [{ role: 'user', content: 'Before.' }],
    [{ role: 'user', content: [{ type: 'text', text: 'This:' }, file('a.png')] }],
    [
      {
        role: 'user',
        content: [
          { type: 'file', mediaType: 'image/png', data: pixel },
          { type: 'text', text: '' },
        ],
      },
    ],
    [
      {
        role: 'assistant',
        content: [
          { type: 'reasoning', text: 'Hm.' },
          { type: 'text', text: 'Yes.' },
        ],
      },
    ],
    [mark({ role: 'assistant', content: 'Yes.' })],
    [
      { role: 'assistant', content: [openCall('old')] },
      { role: 'tool', content: [resultOf('old')] },
    ],
    // two messages of results that become one, and one that becomes none
    [
      { role: 'assistant', content: [openCall('x'), openCall('y')] },
      { role: 'tool', content: [resultOf('x')] },
      { role: 'tool', content: [resultOf('y')] },
      { role: 'tool', content: [] },
      { role: 'user', content: 'And?' },
    ],
  );
  const hook = fc.constantFrom<Hook>(
    () => {},
    ({ messages }) => ({ messages }),
    ({ messages }) => ({ messages: messages.slice(-4) }),
    ({ messages, stepNumber }) => (stepNumber === 2 ? { messages: messages.slice(-2) } : undefined),
    ({ messages }) => ({ messages: [...messages.slice(0, -1), ...messages.slice(-1).map(mark)] }),
    ({ stepNumber }) =>
      stepNumber === 1
        ? {
            system: [
              { role: 'system', content: 'A' },
              { role: 'system', content: 'B' },
            ],
          }
        : undefined,
  );
  const prepareStep = fc.constantFrom<PromptOptions['prepareStep']>(
    undefined,
    ({ messages, stepNumber }) => (stepNumber === 2 ? { messages: messages.slice(-3) } : undefined),
    ({ messages }) => ({ messages: [...messages, { role: 'user', content: 'Mind the step.' }] }),
    ({ messages }) => ({ messages: [...messages.slice(0, -1), ...messages.slice(-1).map(mark)] }),
    ({ messages, stepNumber }) => (stepNumber === 3 ? { messages: [...messages, unanswered] } : undefined),
    ({ messages, stepNumber }) =>
      stepNumber === 1 ? { messages: [{ role: 'system', content: 'Not here.' }, ...messages] } : undefined,
    ({ initialMessages }) => ({ messages: initialMessages }),
    ({ stepNumber }) => ({ instructions: stepNumber % 2 === 0 ? [] : `Step ${stepNumber}.` }),
  );
  const write = fc.constantFrom<Way['write']>(
    undefined,
    (prompt) => void (prompt.at(-1)!.providerOptions = { test: { cache: true } }),
    (prompt) => {
      for (const each of prompt) each.providerOptions = { test: { length: prompt.length } };
    },
    (prompt) => {
      for (const { role, content } of prompt) {
        if (role === 'user') for (const part of content) if (part.type === 'text') part.text += '!';
      }
    },
    (prompt) => prompt.splice(0, 1),
  );

  test('for any conversation, cut and message', { timeout: 120_000 }, async () => {
    expect.hasAssertions();
    await fc.assert(
      fc.asyncProperty(
        fc.record({
          turns: fc.array(turn, { minLength: 1, maxLength: 8, size: 'max' }),
          messages: fc.array(message, { maxLength: 4 }),
          hooks: fc.array(hook, { maxLength: 2 }),
          prepareStep: fc.option(prepareStep, { nil: undefined }),
          tasks: fc.option(fc.constant(['Open', 'Close']), { nil: undefined, freq: 2 }),
          otherModelAt: fc.option(
            fc.constantFrom<Way['otherModelAt']>(
              (step) => step % 2 === 1,
              (step) => step > 2,
            ),
            { nil: undefined },
          ),
          write,
        }),
        async ({ turns, messages, prepareStep: own, ...way }) => {
          await playBoth({
            ...way,
            turns: [...turns, ...Array<string>(12).fill('Done.')],
            options: { messages: messages.flat(), ...(own === undefined ? {} : { prepareStep: own }) },
          });
        },
      ),
      { numRuns: sample(40) },
    );
  });

  test('when results are appended to those of the step before', async () => {
    const list: ModelMessage[] = [
      { role: 'assistant', content: [openCall('old')] },
      { role: 'tool', content: [resultOf('old')] },
    ];
    const late: ModelMessage = { role: 'tool', content: [resultOf('late')] };
    const own: PromptOptions['prepareStep'] = ({ stepNumber }) => ({
      messages: stepNumber === 0 ? list : [...list, late],
    });
    const { prompts } = await playBoth({ turns: [[look(1)], 'Done.'], options: { prepareStep: own } });
    expect(prompts).toHaveLength(2);
    expect(prompts[1]).not.toBe(prompts[0]);
  });

  const count = (message: LanguageModelV4Prompt[number]): void => {
    const { n = 0 } = message.providerOptions?.['test'] ?? {};
    message.providerOptions = { test: { n: Number(n) + 1 } };
  };
  test.each<[string, NonNullable<Way['write']>]>([
    [
      'parts',
      ([, user]) => void (user?.role === 'user' && user.content.push({ type: 'text', text: 'Now.' })),
    ],
    [
      'the content of parts',
      ([, user]) =>
        void (
          user?.role === 'user' &&
          Object.assign(user.content[0]!, { text: `${(user.content[0] as { text: string }).text}!` })
        ),
    ],
    ['messages', (prompt) => prompt.forEach(count)],
    ['earlier messages, from some step on', (prompt) => void (prompt.length > 4 && count(prompt[1]!))],
  ])('when middleware writes into a prompt: %s', async (_what, writing) => {
    const turns: ScriptedTurn[] = [[look(1)], [look(2)], [look(0)], [look(4)], [look(5)], 'Done.'];
    const { prompts } = await playBoth({ turns, write: writing });
    expect(prompts).toHaveLength(6);
  });

  test('when a model call is retried', async () => {
    const busy = { throw: { message: 'busy', status: 503, headers: { 'retry-after-ms': '1' } } };
    const { prompts } = await playBoth({ turns: [[look(1)], [look(2)], [busy], [look(0)], [busy], 'Done.'] });
    expect(prompts).toHaveLength(6);
    expect(prompts[3]).toBe(prompts[2]);
  });

  test('when a stream breaks and restarts', async () => {
    const broken: ScriptedTurn = [{ text: 'Half' }, { error: { message: 'overheated' } }];
    const options = { streamRetries: 1 };
    const { prompts } = await playBoth({
      turns: [[look(1)], [look(2)], broken, [look(0)], 'Done.'],
      options,
    });
    expect(prompts).toHaveLength(5);
    expect(prompts[3]).toBe(prompts[2]);
  });
});
