import {
  convertToModelMessages,
  getToolName,
  isToolUIPart,
  type ModelMessage,
  type ToolSet,
  type UIMessage,
} from 'ai';
import { isRecord } from '../base/is-record.ts';
import { settleApprovals } from './settle-approvals.ts';
import { causeOf } from './steer-cause.ts';
import { toModelOutput, withEditNotes } from './tool-output.ts';
import { toUIParts, type ToolResult } from './ui-parts.ts';
import { isRetry, withoutSteps } from './without-retried.ts';

type MessagePart = UIMessage['parts'][number];

/** True for a message of a UI, as `state.messages` and the AI SDK's hooks have them. */
export function isUIMessage(value: unknown): value is UIMessage {
  if (!isRecord(value) || !Array.isArray(value['parts'])) return false;
  return value['parts'].every((part) => isRecord(part) && typeof part['type'] === 'string');
}

/**
 * Returns a prompt's own messages for the UI: with their roles, with files as URLs, and calls together with
 * their results. Their ids depend only on their positions, so that they stay the same from one turn of a
 * conversation to the next.
 */
export function toUIMessages(messages: readonly ModelMessage[]): UIMessage[] {
  const results = toolResultsOf(messages);
  return messages.flatMap(({ role, content }, index): UIMessage[] => {
    if (role !== 'user' && role !== 'assistant') return [];
    const parts =
      typeof content === 'string'
        ? [{ type: 'text' as const, text: content }]
        : content.flatMap((part) => toUIParts(part, results));
    return parts.length === 0 ? [] : [{ id: `prompt-${index}`, role, parts }];
  });
}

/** Returns the results of calls, by the calls' ids. */
export function toolResultsOf(messages: readonly ModelMessage[]): Map<string, ToolResult> {
  const results = new Map<string, ToolResult>();
  for (const { content } of messages) {
    if (typeof content === 'string') continue;
    for (const part of content) if (part.type === 'tool-result') results.set(part.toolCallId, part);
  }
  return results;
}

/**
 * Returns earlier turns as they are sent to the model, without incomplete parts: empty messages, calls without a
 * result, and references to what the provider has not stored. `tools` have the tools' own `toModelOutput`, if any.
 */
export async function toModelMessages(
  turns: readonly UIMessage[],
  tools: ToolSet = {},
): Promise<ModelMessage[]> {
  const valid = turns.map((message) => withoutSteps(message, isVoided));
  const said = valid
    .map(settleApprovals)
    .map(withoutUnstoredItems)
    .map(withoutEmptyTexts)
    .filter(({ parts }) => parts.some(hasContent));
  if (said.length === 0) return [];
  const messages = await convertToModelMessages(said.map(withReadableCalls), {
    tools: { ...toolsThatReturnedParts(said), ...tools },
    // a turn that was stopped in the middle of a call has no result for it
    ignoreIncompleteToolCalls: true,
  });
  return withEditNotes(messages.filter(isSendable), valid);
}

/**
 * False for a message without content, which a stopped call may leave, and for an answer that was stopped in its
 * reasoning. Reasoning without a provider's metadata is not sent to most models, and the message would be empty.
 */
function isSendable({ role, content }: ModelMessage): boolean {
  if (role !== 'assistant' || typeof content === 'string') return content.length > 0;
  return content.some((part) => part.type !== 'reasoning' || part.providerOptions !== undefined);
}

/** True for the mark of a step that could not be used or was tried again. The model is sent neither step. */
function isVoided(part: MessagePart): boolean {
  return isRetry(part) || (part.type === 'steering-message' && causeOf(part.id) === 'correction');
}

/**
 * Returns a message whose unfinished steps refer to no items of OpenAI's Responses API. The provider stores a step's
 * items when the response is complete, and refuses reasoning that nothing follows. Texts are sent as texts; reasoning
 * and calls that the provider made are left out.
 */
function withoutUnstoredItems(message: UIMessage): UIMessage {
  if (message.role !== 'assistant' || !message.parts.some(hasItem)) return message;
  const steps: MessagePart[][] = [[]];
  for (const part of message.parts) {
    if (part.type === 'step-start') steps.push([]);
    steps.at(-1)!.push(part);
  }
  const parts = steps.flatMap((step) =>
    step.some(hasItem) && isUnfinished(step) ? step.flatMap(withoutItem) : step,
  );
  return { ...message, parts };
}

/** True for the parts of a step that was stopped or cut off, or that reached its token limit before it answered. */
function isUnfinished(step: readonly MessagePart[]): boolean {
  const isOpen = (part: MessagePart): boolean =>
    isToolUIPart(part)
      ? part.state.startsWith('input-') || ('preliminary' in part && part.preliminary)
      : 'state' in part && part.state === 'streaming';
  return step.some(isOpen) || step.findLast(hasContent)?.type === 'reasoning';
}

/** Returns what is sent of a part of an unfinished step. */
function withoutItem(part: MessagePart): MessagePart[] {
  if (isToolUIPart(part) && part.providerExecuted === true) return [];
  if (!hasItem(part)) return [part];
  if (!isToolUIPart(part) && (part.type !== 'text' || part.text === '')) return [];
  const {
    providerMetadata: _metadata,
    callProviderMetadata: _call,
    resultProviderMetadata: _result,
    ...content
  } = part as Record<string, unknown>;
  return [content as unknown as MessagePart];
}

/** True for a part that is an item of OpenAI's Responses API, which other providers have, too. */
function hasItem(part: MessagePart): boolean {
  const { providerMetadata, callProviderMetadata, resultProviderMetadata } = part as Record<string, unknown>;
  return [providerMetadata, callProviderMetadata, resultProviderMetadata]
    .flatMap((metadata) => (isRecord(metadata) ? Object.values(metadata) : []))
    .some((own) => isRecord(own) && typeof own['itemId'] === 'string');
}

/**
 * Leaves out arguments that are not an object, because providers refuse them; the AI SDK never sends a text back.
 */
function withReadableCalls(message: UIMessage): UIMessage {
  const isUnreadable = (part: MessagePart): boolean =>
    'toolCallId' in part && part.state === 'output-error' && !isRecord(part.input ?? {});
  if (!message.parts.some(isUnreadable)) return message;
  return {
    ...message,
    parts: message.parts.map((part) => (isUnreadable(part) ? ({ ...part, input: {} } as typeof part) : part)),
  };
}

/**
 * Leaves out texts of white space only, such as one that was stopped before its first word, because providers refuse
 * them. Those of a system message are parts of one text.
 */
function withoutEmptyTexts(message: UIMessage): UIMessage {
  const isEmpty = (part: MessagePart): boolean =>
    (part.type === 'text' || part.type === 'steering-message') && !hasContent(part);
  if (message.role === 'system' || !message.parts.some(isEmpty)) return message;
  return { ...message, parts: message.parts.filter((part) => !isEmpty(part)) };
}

/** False for the mark of a step, and for a text of white space only; a provider may still expect its metadata. */
function hasContent(part: MessagePart): boolean {
  if (part.type === 'step-start') return false;
  if (part.type === 'steering-message') return part.parts.some(hasContent);
  return !('text' in part) || /\S/.test(part.text) || part.providerMetadata !== undefined;
}

/**
 * Returns, for each tool that has returned a list, what decides whether the list consists of parts, as when it was
 * called.
 */
function toolsThatReturnedParts(turns: readonly UIMessage[]): ToolSet {
  const names = turns.flatMap(({ parts }) =>
    parts.flatMap((part) => (isToolUIPart(part) && Array.isArray(part.output) ? [getToolName(part)] : [])),
  );
  const tool = { toModelOutput: ({ output }: { output: unknown }) => toModelOutput(output) };
  // only this property of the tool is read
  return Object.fromEntries(names.map((name) => [name, tool])) as unknown as ToolSet;
}
