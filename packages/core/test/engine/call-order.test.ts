// Providers refuse a call whose result does not come next. The caller gets an error before anything is sent.
import { CuelineError, runPrompt, type Hook, type Prompt, type PromptConfig } from '@cueline/core';
import { scriptedModel } from '@cueline/core/testing';
import type { ModelMessage } from 'ai';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { sent } from '../sent-requests.ts';
import { go, play } from '../support.ts';

const call = { type: 'tool-call', toolCallId: 'c1', toolName: 'look', input: {} } as const;
const result = { type: 'tool-result', toolCallId: 'c1', toolName: 'look', output: 'seen' } as const;
const said = { role: 'assistant', content: [call] } as const;
const answered: ModelMessage = {
  role: 'tool',
  content: [{ ...result, output: { type: 'text', value: 'seen' } }],
};
const openCall = (speaker: string): string =>
  `The call 'c1' of look has no result yet, and needs one before the next message of the ${speaker}. Write prompt.defMessage('tool', [{ type: 'tool-result', toolCallId: 'c1', toolName: 'look', output: … }]).`;

async function refusal(
  define: (prompt: Prompt) => void,
  options: PromptConfig['options'] = {},
): Promise<CuelineError> {
  const model = scriptedModel([]);
  const error: unknown = await runPrompt(define, { model, options }).catch((thrown: unknown) => thrown);
  expect(model.calls).toHaveLength(0);
  expect(error).toBeInstanceOf(CuelineError);
  return error as CuelineError;
}

describe('a call without a result is refused', () => {
  test('at the end of the prompt', async () => {
    const error = await refusal((prompt) => {
      prompt.$`Go.`;
      prompt.defMessage('assistant', [call]);
    });
    expect(error).toMatchObject({ code: 'invalid_definition', message: openCall('model') });
  });

  test('before another message of the assistant', async () => {
    const error = await refusal((prompt) => {
      prompt.defMessage('assistant', [call]);
      prompt.defMessage('assistant', 'Well.');
    });
    expect(error).toMatchObject({ code: 'invalid_definition', message: openCall('assistant') });
  });

  test.each<[string, ModelMessage[]]>([
    ['model', [said as unknown as ModelMessage]],
    ['user', [said as unknown as ModelMessage, { role: 'user', content: 'And?' }, answered]],
  ])('in options.messages, before a message of the %s', async (speaker, messages) => {
    const error = await refusal((prompt) => prompt.$`Go.`, { messages });
    expect(error).toMatchObject({ code: 'invalid_definition', message: openCall(speaker) });
  });

  test('at the end of the messages that extend adds', async () => {
    const { model, state } = await play((prompt) => {
      prompt.$`Go.`;
      prompt.defTaskList([{ task: 'One', extend: (own) => own.defMessage('assistant', [call]) }]);
    }, []);
    expect(state).toMatchObject({
      status: 'error',
      error: { code: 'invalid_definition', message: openCall('model') },
    });
    expect(model.calls).toHaveLength(0);
  });

  test('in an agent, whose parent reads the error', async () => {
    const { state } = await play(
      go((prompt) =>
        prompt.defAgent('child', '', z.object({}), (_args, own) => {
          own.$`Go.`;
          own.defMessage('assistant', [call]);
        }),
      ),
      [[{ toolCall: { name: 'child', input: {} } }], 'Done.'],
    );
    expect(state.status).toBe('done');
    expect(JSON.stringify(state.toolCalls[0])).toContain('needs one before the next message of the model');
  });
});

test.each<[string, ModelMessage[]]>([
  [
    'what a provider runs itself',
    [
      { role: 'assistant', content: [{ ...call, providerExecuted: true }] },
      { role: 'user', content: 'And?' },
    ],
  ],
  [
    'what the AI SDK has asked an approval for',
    [
      {
        role: 'assistant',
        content: [call, { type: 'tool-approval-request', approvalId: 'a1', toolCallId: 'c1' }],
      },
      { role: 'tool', content: [{ type: 'tool-approval-response', approvalId: 'a1', approved: false }] },
    ],
  ],
])('%s is not an open call', async (_what, messages) => {
  const { model, state } = await play(
    go((prompt) => prompt.defTool('look', '', z.object({}), () => 'seen')),
    ['Done.'],
    { options: { messages } },
  );
  expect(state.status).toBe('done');
  expect(model.calls).toHaveLength(1);
});

describe('messages that a hook has reordered', () => {
  const user: ModelMessage = { role: 'user', content: 'Wait.' };
  const assistant: ModelMessage = { role: 'assistant', content: 'Hm.' };
  const look = { toolCall: { name: 'look', input: {} } };

  async function secondStep(change: (messages: ModelMessage[]) => ModelMessage[]): Promise<string[]> {
    const hook: Hook = ({ messages, stepNumber }) =>
      stepNumber === 0 ? {} : { messages: change([...messages]) };
    const { model, state } = await play(
      (prompt) => {
        prompt.defTool('look', '', z.object({}), () => 'seen');
        prompt.$`Go.`;
        prompt.defHook(hook);
      },
      [[look], 'Done.'],
    );
    expect(state).toMatchObject({ status: 'done', text: 'Done.' });
    return sent(model)[1]!.messages;
  }

  test.each<[string, ModelMessage, string]>([
    ['the user', user, 'user: Wait.'],
    ['the assistant', assistant, 'assistant: Hm.'],
  ])('%s between a call and its result: both of these go', async (_who, between, line) => {
    expect(await secondStep(([go, said, answer]) => [go!, said!, between, answer!])).toEqual([
      'user: Go.',
      line,
    ]);
  });

  test('a duplicate result is sent once', async () => {
    expect(
      await secondStep(([go, said, answer]) => [go!, said!, answer!, structuredClone(answer!), user]),
    ).toEqual(['user: Go.', 'assistant calls look {}', 'look answers seen', 'user: Wait.']);
  });

  test('a system message between a call and its result is left out, and both stay', async () => {
    expect(
      await secondStep(([go, said, answer]) => [
        go!,
        said!,
        { role: 'system', content: 'Psst.' },
        answer!,
        user,
      ]),
    ).toEqual(['user: Go.', 'assistant calls look {}', 'look answers seen', 'user: Wait.']);
  });
});
