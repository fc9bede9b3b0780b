import {
  convertToModelMessages,
  getToolName,
  isToolUIPart,
  type ModelMessage,
  type ToolSet,
  type UIMessage,
} from 'ai';
import { toModelOutput } from './tool-output.ts';
import { settleApprovals } from './settle-approvals.ts';
import { causeOf } from './steer-cause.ts';
import { toUIParts, type ToolResult } from './ui-parts.ts';
import { isRetry, withoutSteps } from './without-retried.ts';

/**
 * A prompt's own messages as they are shown: who said what, with files as URLs, and calls together with their results.
 * Their ids say only where they stand, so that they stay the same from one turn of a conversation to the next.
 */
export function toUIMessages(messages: readonly ModelMessage[]): UIMessage[] {
  const results = resultsOf(messages);
  return messages.flatMap(({ role, content }, index): UIMessage[] => {
    if (role !== 'user' && role !== 'assistant') return [];
    const parts =
      typeof content === 'string'
        ? [{ type: 'text' as const, text: content }]
        : content.flatMap((part) => toUIParts(part, results));
    return parts.length === 0 ? [] : [{ id: `prompt-${index}`, role, parts }];
  });
}

/** The results of calls, by the calls' ids. */
function resultsOf(messages: readonly ModelMessage[]): Map<string, ToolResult> {
  const results = new Map<string, ToolResult>();
  for (const { content } of messages) {
    if (typeof content === 'string') continue;
    for (const part of content) if (part.type === 'tool-result') results.set(part.toolCallId, part);
  }
  return results;
}

/**
 * Earlier turns as the model gets them, without what is not whole: empty messages and calls without a result. `tools`
 * say how their results are told, where they have a way of their own.
 */
export async function toModelMessages(
  turns: readonly UIMessage[],
  tools: ToolSet = {},
): Promise<ModelMessage[]> {
  const said = turns
    .map((message) => withoutSteps(message, isVoided))
    .map(settleApprovals)
    .map(withoutEmptyTexts)
    .filter(({ parts }) => parts.some(hasContent));
  if (said.length === 0) return [];
  const messages = await convertToModelMessages(said.map(withReadableCalls), {
    tools: { ...toolsThatReturnedParts(said), ...tools },
    // a turn that was stopped in the middle of a call has no result to show for it
    ignoreIncompleteToolCalls: true,
  });
  // a call that was stopped leaves its message without content
  return messages.filter(({ content }) => content.length > 0);
}

/** True for what stands behind a step that could not be used, or that was tried again: neither is told of it. */
function isVoided(part: UIMessage['parts'][number]): boolean {
  return isRetry(part) || (part.type === 'steering-message' && causeOf(part.id) === 'correction');
}

/** Arguments that were no JSON stay a text, which providers refuse: the AI SDK itself sends none of them back. */
function withReadableCalls(message: UIMessage): UIMessage {
  const isUnreadable = (part: UIMessage['parts'][number]): boolean =>
    'toolCallId' in part && part.state === 'output-error' && typeof (part.input ?? {}) !== 'object';
  if (!message.parts.some(isUnreadable)) return message;
  return {
    ...message,
    parts: message.parts.map((part) => (isUnreadable(part) ? ({ ...part, input: {} } as typeof part) : part)),
  };
}

/** Without texts that were stopped before their first word, which make a message that providers refuse. */
function withoutEmptyTexts(message: UIMessage): UIMessage {
  const isEmpty = (part: UIMessage['parts'][number]): boolean =>
    part.type === 'text' && part.text === '' && part.providerMetadata === undefined;
  if (message.role !== 'assistant' || !message.parts.some(isEmpty)) return message;
  return { ...message, parts: message.parts.filter((part) => !isEmpty(part)) };
}

/** False for a step's mark, and for a text that was stopped before its first word; a provider may still expect its data. */
function hasContent(part: UIMessage['parts'][number]): boolean {
  if (part.type === 'step-start') return false;
  return !('text' in part) || part.text !== '' || part.providerMetadata !== undefined;
}

/** For each tool that has returned a list, what says whether that is a list of parts, as when it was called. */
function toolsThatReturnedParts(turns: readonly UIMessage[]): ToolSet {
  const names = turns.flatMap(({ parts }) =>
    parts.flatMap((part) => (isToolUIPart(part) && Array.isArray(part.output) ? [getToolName(part)] : [])),
  );
  const tool = { toModelOutput: ({ output }: { output: unknown }) => toModelOutput(output) };
  // of a tool, only this is asked for
  return Object.fromEntries(names.map((name) => [name, tool])) as unknown as ToolSet;
}
