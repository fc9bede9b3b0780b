import type { ModelMessage } from 'ai';

/**
 * Messages without the halves of tool calls that a cut has left behind: providers refuse a result whose call is missing,
 * and a call whose result is. System messages are left out too; those belong into the system prompt.
 */
export function pairToolMessages(messages: readonly ModelMessage[]): ModelMessage[] {
  const called = new Set<string>();
  const answered = new Set<string>();
  for (const { role, content } of messages) {
    if (typeof content === 'string') continue;
    for (const part of content) {
      if (part.type === 'tool-call' && role === 'assistant') called.add(part.toolCallId);
      // the order counts: a result before its call answers nothing
      if (part.type === 'tool-result' && called.has(part.toolCallId)) answered.add(part.toolCallId);
    }
  }
  return messages.flatMap((message) => {
    if (message.role === 'system') return [];
    if (typeof message.content === 'string' || message.role === 'user') return [message];
    const kept = (
      message.content as { type: string; toolCallId?: string; providerExecuted?: boolean }[]
    ).filter(
      ({ type, toolCallId = '', providerExecuted }) =>
        (type !== 'tool-call' && type !== 'tool-result') ||
        providerExecuted === true ||
        answered.has(toolCallId),
    );
    if (kept.length === message.content.length) return [message];
    return kept.length === 0 ? [] : [{ ...message, content: kept } as ModelMessage];
  });
}
