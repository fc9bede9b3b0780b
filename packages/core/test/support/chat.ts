import { definePrompt, inProcess, type Executor, type RunEvent, type RunRequest } from '@cueline/core';
import type { PromptTransport, RunIds } from '@cueline/core/ai-sdk';
import {
  AbstractChat,
  createUIMessageStreamResponse,
  DefaultChatTransport,
  lastAssistantMessageIsCompleteWithApprovalResponses,
  readUIMessageStream,
  type ChatInit,
  type ChatState,
  type UIMessage,
  type UIMessageChunk,
} from 'ai';
import { expect } from 'vitest';
import * as z from 'zod';
import { after } from './runs.ts';

/** The AI SDK's chat with nothing around it. */
export class PlainChat extends AbstractChat<UIMessage> {
  /** Every status that it has had, and every number of messages. */
  readonly statuses: string[];

  constructor({ messages = [], ...init }: ChatInit<UIMessage>) {
    const statuses: string[] = [];
    super({ ...init, state: plainState(messages, statuses) });
    this.statuses = statuses;
  }
}

/** A chat that sends approvals by itself, as the AI SDK's documentation has it. */
export function approvingChat(init: ChatInit<UIMessage>): PlainChat {
  return new PlainChat({
    ...init,
    sendAutomaticallyWhen: lastAssistantMessageIsCompleteWithApprovalResponses,
  });
}

function plainState(messages: UIMessage[], statuses: string[]): ChatState<UIMessage> {
  let status: ChatState<UIMessage>['status'] = 'ready';
  const state: ChatState<UIMessage> = {
    get status() {
      return status;
    },
    set status(next) {
      status = next;
      statuses.push(next);
    },
    error: undefined,
    messages: [...messages],
    pushMessage: (message) => void (state.messages = [...state.messages, message]),
    popMessage: () => void (state.messages = state.messages.slice(0, -1)),
    replaceMessage: (index, message) =>
      void (state.messages = state.messages.with(index, structuredClone(message))),
    snapshot: (value) => structuredClone(value),
  };
  return state;
}

export function textOf(message: UIMessage | undefined): string {
  return (message?.parts ?? []).map((part) => (part.type === 'text' ? part.text : '')).join('');
}

/** The last message of the assistant, or one without parts. */
export function answerOf({ messages }: { messages: readonly UIMessage[] }): UIMessage {
  return messages.findLast(({ role }) => role === 'assistant') ?? { id: '', role: 'assistant', parts: [] };
}

export type Call = { toolCallId: string; state: string; approval?: { id: string }; [key: string]: unknown };

/** The tool calls of a chat, in their order. */
export function callsOf(chat: { messages: UIMessage[] }): Call[] {
  return chat.messages.flatMap(({ parts }) => parts.filter((part) => 'toolCallId' in part)) as Call[];
}

/** The ids of the approvals that a chat asks its user for. */
export function approvalsOf(chat: { messages: UIMessage[] }): string[] {
  return callsOf(chat).flatMap(({ state, approval }) =>
    state === 'approval-requested' ? [approval!.id] : [],
  );
}

/** Answers the first approval that a chat asks for. */
export async function respond(chat: PlainChat, approved = true, reason?: string): Promise<void> {
  const [id] = approvalsOf(chat);
  await chat.addToolApprovalResponse({ id: id!, approved, ...(reason === undefined ? {} : { reason }) });
}

/** Waits until the chat's last message has this text and the turn is over. */
export async function answered(chat: PlainChat, text: string): Promise<void> {
  await expect.poll(() => [textOf(chat.messages.at(-1)), chat.status]).toEqual([text, 'ready']);
}

/** The arguments that a chat passes to its transport for a user's message. */
export function submission(
  chatId: string,
  messages: UIMessage[] = [userMessage('Count.')],
  abortSignal?: AbortSignal,
) {
  return { trigger: 'submit-message', chatId, messageId: undefined, messages, abortSignal } as const;
}

export function userMessage(text: string): UIMessage {
  return { id: 'u', role: 'user', parts: [{ type: 'text', text }] };
}

/** An executor that keeps its requests, its signals and its events. */
export function listening(executor: Executor = inProcess()) {
  const seen = { requests: [] as RunRequest[], signals: [] as AbortSignal[], events: [] as RunEvent[] };
  const listened: Executor = {
    ...executor,
    async *start(request, signal) {
      seen.requests.push(request as RunRequest);
      seen.signals.push(signal);
      for await (const event of executor.start(request, signal)) {
        seen.events.push(event);
        yield event;
      }
    },
  };
  return { ...listened, ...seen };
}

/** The message that a chat makes of these chunks. */
export async function lastMessage(stream: ReadableStream<UIMessageChunk>): Promise<UIMessage | undefined> {
  let last: UIMessage | undefined;
  for await (const message of readUIMessageStream({ stream, onError: () => {} })) last = message;
  return last;
}

/** What a stream gives, as a list. */
export async function collect<Item>(stream: AsyncIterable<Item>): Promise<Item[]> {
  const items: Item[] = [];
  for await (const item of stream) items.push(item);
  return items;
}

/** A storage for the ids of runs, and what it keeps. */
export function keptRunIds() {
  const kept = new Map<string, string>();
  const runIds: RunIds = {
    getItem: (key) => kept.get(key) ?? null,
    setItem: (key, value) => void kept.set(key, value),
    removeItem: (key) => void kept.delete(key),
  };
  return { kept, runIds };
}

/** A prompt whose tools, and whose agent's tool, need an approval; and the amounts that they paid. */
export function banker() {
  const paid: number[] = [];
  const amount = z.object({ amount: z.number() });
  const definition = definePrompt('banker', (prompt) => {
    const pays = (result: string) => (input: { amount: number }) => {
      paid.push(input.amount);
      return result.replace('#', String(input.amount));
    };
    prompt.defTool('pay', 'Pays', amount, pays('paid #'), { needsApproval: true });
    prompt.defTool('look', 'Looks', z.object({ ms: z.number() }), async ({ ms }) => {
      await after(ms);
      return 'seen';
    });
    prompt.defAgent('clerk', 'Pays bills', z.object({ bill: z.number() }), ({ bill }, agent) => {
      agent.defTool('transfer', 'Transfers', amount, pays('transferred'), { needsApproval: true });
      agent.$`Pay bill ${bill}.`;
    });
  });
  return { definition, paid };
}

/** A stock client of a server that answers with this transport. */
export function overHttp(server: PromptTransport): DefaultChatTransport<UIMessage> {
  return new DefaultChatTransport({
    async fetch(_url, init) {
      type Body = Omit<Parameters<typeof server.sendMessages>[0], 'chatId'> & { id: string };
      const { id, ...body } = JSON.parse(init?.body as string) as Body;
      const abortSignal = init?.signal ?? undefined;
      const stream = await server.sendMessages({ ...body, chatId: id, abortSignal });
      return createUIMessageStreamResponse({ stream });
    },
  });
}
