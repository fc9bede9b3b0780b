import type { ModelMessage } from 'ai';

type ToolPart = { type: string; toolCallId?: string; providerExecuted?: boolean };

/**
 * Returns messages without the halves of tool calls that a cut has left. Providers refuse a result without its
 * call, and a call whose result is missing or comes after another message. System messages are left out, too,
 * because they belong in the system prompt.
 */
export function pairToolMessages(messages: readonly ModelMessage[]): ModelMessage[] {
  const paired = pairedParts(messages);
  return messages.flatMap((message) => {
    if (message.role === 'system') return [];
    if (typeof message.content === 'string' || message.role === 'user') return [message];
    const kept = (message.content as ToolPart[]).filter((part) => !isHalf(part) || paired.has(part));
    if (kept.length === message.content.length) return [message];
    return kept.length === 0 ? [] : [{ ...message, content: kept } as ModelMessage];
  });
}

function isHalf({ type, providerExecuted }: ToolPart): boolean {
  return (type === 'tool-call' || type === 'tool-result') && providerExecuted !== true;
}

/** Returns the calls that have a result, and those results. */
function pairedParts(messages: readonly ModelMessage[]): Set<ToolPart> {
  const paired = new Set<ToolPart>();
  /** All calls so far, for results that a provider puts into an assistant message. */
  const calls = new Map<string, ToolPart>();
  /** The calls that the next messages may answer. */
  const open = new Map<string, ToolPart>();
  for (const { role, content } of messages) {
    if (role === 'user' || role === 'assistant') open.clear();
    if (typeof content === 'string') continue;
    for (const part of content as ToolPart[]) {
      const { type, toolCallId = '' } = part;
      if (type === 'tool-call' && role === 'assistant') {
        calls.set(toolCallId, part);
        open.set(toolCallId, part);
      }
      if (type !== 'tool-result') continue;
      const call = (role === 'tool' ? open : calls).get(toolCallId);
      if (call === undefined) continue;
      paired.add(call).add(part);
      open.delete(toolCallId);
    }
  }
  return paired;
}
