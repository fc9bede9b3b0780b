import { convertToModelMessages, type ModelMessage, type UIMessage } from 'ai';

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

/** Earlier turns as the model gets them, without what is not whole: empty messages and calls without a result. */
export async function toModelMessages(turns: readonly UIMessage[]): Promise<ModelMessage[]> {
  const said = turns.filter(({ parts }) => parts.some(saysSomething));
  if (said.length === 0) return [];
  // a turn that was stopped in the middle of a call has no result to show for it
  const messages = await convertToModelMessages(said, { ignoreIncompleteToolCalls: true });
  // a call that was stopped leaves its message without content
  return messages.filter(({ content }) => content.length > 0);
}

/** False for a step's mark, and for a text that was stopped before its first word. */
function saysSomething(part: UIMessage['parts'][number]): boolean {
  return part.type !== 'step-start' && !('text' in part && part.text === '');
}
