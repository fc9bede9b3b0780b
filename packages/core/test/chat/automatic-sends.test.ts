import { definePrompt, inProcess, type Executor } from '@cueline/core';
import { PromptTransport, type PromptTransportOptions } from '@cueline/core/ai-sdk';
import { scriptedModel, type ScriptedTurn } from '@cueline/core/testing';
import {
  isStepCount,
  lastAssistantMessageIsCompleteWithApprovalResponses,
  lastAssistantMessageIsCompleteWithToolCalls,
  type ChatInit,
  type ChatTransport,
  type UIMessage,
  type UIMessageChunk,
} from 'ai';
import { describe, expect, test, vi } from 'vitest';
import * as z from 'zod';
import { call } from '../support.ts';
import { answered, approvalsOf, callsOf, PlainChat, respond, textOf, overHttp } from '../support/chat.ts';
import { after } from '../support/runs.ts';

const slowly: ScriptedTurn = [{ delay: 60_000 }, { text: 'Never said.' }];

/** A prompt with a quick tool, and one that needs an approval and never ends. */
const clerk = definePrompt('clerk', (prompt) => {
  prompt.defTool('look', 'Looks', z.object({}), () => 'seen');
  prompt.defTool('pay', 'Pays', z.object({}), () => new Promise<never>(() => {}), { needsApproval: true });
});

/** A transport that fails after five messages, so that a chat that sends without end ends its test. */
function bounded(transport: ChatTransport<UIMessage>) {
  const sends: number[] = [];
  const limited: ChatTransport<UIMessage> = {
    sendMessages(message) {
      if (sends.push(sends.length) > 5) throw new Error('The chat sends without end.');
      return transport.sendMessages(message);
    },
    reconnectToStream: (message) => transport.reconnectToStream(message),
  };
  return { sends, transport: limited };
}

type Options = Partial<ChatInit<UIMessage>> & { settings?: PromptTransportOptions };

/** A chat that sends tool results and responses to approvals automatically, and a run that outlives its stream. */
function automatic(turns: readonly ScriptedTurn[], { settings, ...init }: Options = {}) {
  const model = scriptedModel(turns);
  const own = new PromptTransport(definePrompt('clerk', clerk.run), {
    model,
    onAbort: 'detach',
    ...settings,
  });
  const finished = vi.fn();
  const { sends, transport } = bounded(init.transport ?? own);
  const chat = new PlainChat({
    id: 'c',
    onFinish: finished,
    sendAutomaticallyWhen: (given) =>
      lastAssistantMessageIsCompleteWithToolCalls(given) ||
      lastAssistantMessageIsCompleteWithApprovalResponses(given),
    ...init,
    transport,
  });
  const reasons = (): unknown[] => finished.mock.calls.map(([{ finishReason }]) => finishReason as unknown);
  return { chat, model, own, sends, reasons };
}

/** Waits until the chat has stopped, and then long enough for messages that it sends automatically. */
async function settled(chat: PlainChat): Promise<void> {
  await expect.poll(() => chat.status).toMatch(/ready|error/);
  await after(20);
  expect(['ready', 'error']).toContain(chat.status);
}

/** A chat whose approved call runs. */
async function paying(options?: Options) {
  const opened = automatic([[call('pay', {})], 'Paid.'], options);
  const { chat } = opened;
  await chat.sendMessage({ text: 'Pay.' });
  await expect.poll(() => [approvalsOf(chat).length, chat.status]).toEqual([1, 'ready']);
  await respond(chat);
  await expect.poll(() => chat.status).toBe('streaming');
  return opened;
}

describe('a stopped run is not started again', () => {
  test('after an approval', async () => {
    const { chat, own, sends, model, reasons } = await paying();
    own.stop('c');
    await settled(chat);
    expect([chat.status, sends.length, model.calls.length]).toEqual(['ready', 2, 1]);
    expect(callsOf(chat)).toMatchObject([{ state: 'approval-responded' }]);
    expect(reasons()).toEqual(['tool-calls', 'interrupted']);
    await chat.sendMessage({ text: 'Well?' });
    await answered(chat, 'Paid.');
  });

  test('after a tool, whoever stops it', async () => {
    const elsewhere = new AbortController();
    const inner = inProcess();
    const executor: Executor = {
      ...inner,
      start: (request, signal) => inner.start(request, AbortSignal.any([signal, elsewhere.signal])),
    };
    const { chat, sends, model, reasons } = automatic([[call('look', {})], slowly, 'Again.'], {
      settings: { executor },
    });
    void chat.sendMessage({ text: 'Look.' });
    await expect.poll(() => model.calls).toHaveLength(2);
    elsewhere.abort();
    await settled(chat);
    expect([chat.status, sends.length, model.calls.length]).toEqual(['ready', 1, 2]);
    expect(reasons()).toEqual(['interrupted']);
  });

  test('over HTTP', async () => {
    const model = scriptedModel([[call('look', {})], slowly, 'Again.']);
    const server = new PromptTransport(definePrompt('clerk', clerk.run), { model });
    const transport = overHttp(server);
    const { chat, sends } = automatic([], { transport });
    void chat.sendMessage({ text: 'Look.' });
    await expect.poll(() => model.calls).toHaveLength(2);
    server.stop('c');
    await settled(chat);
    expect([chat.error, sends.length, model.calls.length]).toEqual([undefined, 1, 2]);
  });

  test('by a client that does not know the finish reason: the response is an error', async () => {
    const { own, model } = automatic([[call('pay', {})], 'Paid.']);
    const unfinished: ChatTransport<UIMessage> = {
      reconnectToStream: (message) => own.reconnectToStream(message),
      sendMessages: async (message) =>
        (await own.sendMessages(message)).pipeThrough(
          new TransformStream<UIMessageChunk, UIMessageChunk>({
            transform: (chunk, controller) =>
              chunk.type === 'finish' ? undefined : controller.enqueue(chunk),
          }),
        ),
    };
    const { chat, sends } = await paying({ transport: unfinished });
    own.stop('c');
    await settled(chat);
    expect(chat.error?.message).toContain('The run that asked for this response no longer exists');
    expect([sends.length, model.calls.length]).toEqual([3, 1]);
  });

  test('by a response to its approval, which is an error', async () => {
    const { chat, own, sends, model } = automatic([[call('pay', {})]]);
    await chat.sendMessage({ text: 'Pay.' });
    await expect.poll(() => approvalsOf(chat)).toHaveLength(1);
    own.stop('c');
    await after(20);
    await respond(chat);
    await settled(chat);
    expect(chat.error).toMatchObject({ code: 'interrupted' });
    expect([sends.length, model.calls.length]).toEqual([2, 1]);
  });
});

test('A run that is stopped before its first part leaves no message', async () => {
  const { chat, own, model } = automatic([slowly]);
  void chat.sendMessage({ text: 'Hello.' });
  await expect.poll(() => model.calls).toHaveLength(1);
  own.stop('c');
  await settled(chat);
  expect(chat.messages.map(textOf)).toEqual(['Hello.']);
});

test('A run that ends with the results of tools is not started again', async () => {
  const { chat, sends, model, reasons } = automatic([[call('look', {})], [call('look', {})], 'Again.'], {
    settings: { options: { stopWhen: isStepCount(1) } },
  });
  await chat.sendMessage({ text: 'Look.' });
  await settled(chat);
  expect([chat.status, sends.length, model.calls.length]).toEqual(['ready', 1, 1]);
  expect(callsOf(chat)).toMatchObject([{ state: 'output-available' }]);
  expect(reasons()).toEqual(['interrupted']);
  await chat.sendMessage({ text: 'Once more.' });
  await settled(chat);
  expect([sends.length, model.calls.length]).toEqual([2, 2]);
});

test('A run whose answer follows the results of tools keeps its finish reason', async () => {
  const { chat, sends, reasons } = automatic([[call('look', {})], 'Seen.']);
  await chat.sendMessage({ text: 'Look.' });
  await settled(chat);
  expect([textOf(chat.messages[1]), sends.length, reasons()]).toEqual(['Seen.', 1, ['stop']]);
});

test('The messages of a chat whose run has ended have one answer, also if it continues an earlier one', async () => {
  const ask = { type: 'tool-ask', toolCallId: 'ask-1', input: {} } as const;
  const messages: UIMessage[] = [
    { id: 'u', role: 'user', parts: [{ type: 'text', text: 'Hello.' }] },
    {
      id: 'a',
      role: 'assistant',
      parts: [{ type: 'step-start' }, { ...ask, state: 'input-available' }],
    },
  ];
  const { chat, own } = automatic(['Hello, Ada.'], { messages });
  await chat.addToolOutput({ tool: 'ask', toolCallId: 'ask-1', output: 'Ada' });
  await answered(chat, 'Hello, Ada.');
  expect(own.messages('c').map(({ id }) => id)).toEqual(['u', 'a']);
  const types = (shown: UIMessage | undefined) => shown?.parts.map(({ type }) => type);
  expect(types(own.messages('c')[1])).toEqual(types(chat.messages[1]));
});
