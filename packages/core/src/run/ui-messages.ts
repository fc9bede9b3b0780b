import type { ModelMessage, UIMessage } from 'ai';

/**
 * A prompt's own messages as they are shown: text, by whom. Their ids say only where they stand, so that they stay
 * the same from one turn of a conversation to the next.
 */
export function toUIMessages(messages: readonly ModelMessage[]): UIMessage[] {
  return messages
    .map((message, index): UIMessage | undefined => {
      if (message.role !== 'user' && message.role !== 'assistant') return undefined;
      const parts =
        typeof message.content === 'string'
          ? [{ type: 'text' as const, text: message.content }]
          : message.content;
      const text = parts.flatMap((part) =>
        part.type === 'text' ? [{ type: 'text' as const, text: part.text }] : [],
      );
      return { id: `prompt-${index}`, role: message.role, parts: text };
    })
    .filter((message) => message !== undefined && message.parts.length > 0) as UIMessage[];
}
