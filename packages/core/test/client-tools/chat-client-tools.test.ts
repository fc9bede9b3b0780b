import { definePrompt, tool } from '@cueline/core';
import { PromptTransport } from '@cueline/core/ai-sdk';
import { scriptedModel, type ScriptedTurn } from '@cueline/core/testing';
import {
  lastAssistantMessageIsCompleteWithApprovalResponses,
  lastAssistantMessageIsCompleteWithToolCalls,
  type ChatInit,
  type UIMessage,
} from 'ai';
import { expect, test } from 'vitest';
import * as z from 'zod';
import { call } from '../support.ts';
import { PlainChat } from '../support/chat.ts';

const desk = definePrompt('desk', () => {}, {
  tools: [
    tool('pickFile', 'Picks a file', z.object({}), { outputSchema: z.string() }),
    tool('look', 'Looks', z.object({}), () => 'seen'),
    tool('send', 'Sends', z.object({}), () => 'sent', { needsApproval: true }),
  ],
});

/** A chat with the AI SDK's own client tools: `onToolCall`, and sending once every call has its output. */
function chatWith(
  turns: readonly ScriptedTurn[],
  init: Partial<ChatInit<UIMessage>> = {},
  definition = desk,
) {
  const model = scriptedModel(turns);
  const chat = new PlainChat({
    id: `chat-${Math.random()}`,
    transport: new PromptTransport(definition, { model }),
    sendAutomaticallyWhen: lastAssistantMessageIsCompleteWithToolCalls,
    onToolCall({ toolCall: { toolName, toolCallId } }) {
      if (toolName === 'pickFile') {
        void chat.addToolOutput({ tool: 'pickFile', toolCallId, output: 'a.txt' });
      }
    },
    ...init,
  });
  return { chat, model };
}

const whenAllIsAnswered: ChatInit<UIMessage>['sendAutomaticallyWhen'] = (given) =>
  lastAssistantMessageIsCompleteWithApprovalResponses(given) ||
  lastAssistantMessageIsCompleteWithToolCalls(given);

const partsOf = (chat: PlainChat) =>
  chat.lastMessage?.parts.map((part) =>
    'state' in part && 'toolCallId' in part ? `${part.type} ${part.state}` : part.type,
  );

test('a stock chat runs client tools with onToolCall, and the same run continues', async () => {
  const { chat, model } = chatWith([[call('pickFile'), call('look')], 'It is a.txt.']);
  await chat.sendMessage({ text: 'Which?' });
  await expect.poll(() => [chat.status, partsOf(chat)?.at(-1)]).toEqual(['ready', 'text']);
  expect(chat.error).toBeUndefined();
  expect(chat.messages).toHaveLength(2);
  expect(partsOf(chat)).toEqual([
    'step-start',
    'tool-pickFile output-available',
    'tool-look output-available',
    'step-start',
    'text',
  ]);
  // the tool of the server ran once, so it is one run
  expect(model.calls).toHaveLength(2);
  expect(model.calls[1]?.prompt.at(-1)?.content).toMatchObject([
    { toolName: 'pickFile', output: { type: 'text', value: 'a.txt' } },
    { toolName: 'look', output: { type: 'text', value: 'seen' } },
  ]);
});

test('an output that does not fit the schema is an error that the model reads', async () => {
  const { chat, model } = chatWith([[call('pickFile')], 'Hm.'], {
    onToolCall({ toolCall: { toolCallId } }) {
      void chat.addToolOutput({ tool: 'pickFile', toolCallId, output: 7 });
    },
  });
  await chat.sendMessage({ text: 'Which?' });
  await expect.poll(() => partsOf(chat)?.at(-1)).toBe('text');
  expect(partsOf(chat)).toContain('tool-pickFile output-error');
  expect(JSON.stringify(model.calls[1]?.prompt.at(-1))).toContain('does not fit the tool');
});

test('an error of the client is an error that the model reads', async () => {
  const { chat, model } = chatWith([[call('pickFile')], 'Hm.'], {
    onToolCall({ toolCall: { toolCallId } }) {
      void chat.addToolOutput({
        tool: 'pickFile',
        toolCallId,
        state: 'output-error',
        errorText: 'No file was picked.',
      });
    },
  });
  await chat.sendMessage({ text: 'Which?' });
  await expect.poll(() => partsOf(chat)?.at(-1)).toBe('text');
  expect(model.calls[1]?.prompt.at(-1)?.content).toMatchObject([
    { output: { type: 'error-text', value: 'No file was picked.' } },
  ]);
});

test('a call of an agent reaches the client like a call of the run', async () => {
  const helped = definePrompt('helped', (prompt) => {
    prompt.defAgent('helper', 'Helps', z.object({}), (_input, agent) => {
      agent.defTool('pickFile', 'Picks', z.object({}));
      agent.$`Pick one.`;
    });
  });
  const { chat, model } = chatWith(
    [[call('helper')], [call('pickFile')], 'a.txt', 'Thanks.'],
    { sendAutomaticallyWhen: whenAllIsAnswered },
    helped,
  );
  await chat.sendMessage({ text: 'Which?' });
  await expect.poll(() => partsOf(chat)?.at(-1)).toBe('text');
  expect(partsOf(chat)).toEqual([
    'step-start',
    'tool-helper output-available',
    'dynamic-tool output-available',
    'step-start',
    'text',
  ]);
  expect(model.calls).toHaveLength(4);
});

test('a call for the client and a call for approval can wait at the same time', async () => {
  const { chat, model } = chatWith([[call('send'), call('pickFile')], 'Done.'], {
    sendAutomaticallyWhen: whenAllIsAnswered,
  });
  await chat.sendMessage({ text: 'Which?' });
  await expect.poll(() => partsOf(chat)).toContain('tool-send approval-requested');
  expect(partsOf(chat)).toContain('tool-pickFile output-available');
  await expect.poll(() => chat.status).toBe('ready');
  const part = chat.lastMessage?.parts.find(({ type }) => type === 'tool-send');
  const { approval } = part as { approval: { id: string } };
  await chat.addToolApprovalResponse({ id: approval.id, approved: true });
  await expect.poll(() => partsOf(chat)?.at(-1)).toBe('text');
  expect(partsOf(chat)).toContain('tool-send output-available');
  expect(model.calls).toHaveLength(2);
});

test('an output for a run that is gone becomes a result in the conversation', async () => {
  const { chat, model } = chatWith(['Thanks.'], {
    messages: [
      { id: 'u', role: 'user', parts: [{ type: 'text', text: 'Which?' }] },
      {
        id: 'a',
        role: 'assistant',
        parts: [
          { type: 'step-start' },
          { type: 'tool-pickFile', toolCallId: 'c', state: 'input-available', input: {} },
        ],
      },
    ],
  });
  await chat.addToolOutput({ tool: 'pickFile', toolCallId: 'c', output: 'b.txt' });
  await expect.poll(() => partsOf(chat)?.at(-1)).toBe('text');
  expect(model.calls[0]?.prompt.at(-1)?.content).toMatchObject([
    { toolName: 'pickFile', output: { type: 'text', value: 'b.txt' } },
  ]);
});
