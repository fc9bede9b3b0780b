import type { ModelMessage } from 'ai';

/** Copies of messages that other code may modify. */
export type CopyOnWriteMessages = {
  copies: ModelMessage[];
  /**
   * Returns the messages that this code gives back. A copy that it has not modified is again the original message,
   * by which the log recognizes it.
   */
  commit(messages: readonly ModelMessage[]): ModelMessage[];
};

/** Copies messages and their parts, so that modifying them does not change the conversation. */
export function copyOnWriteMessages(messages: readonly ModelMessage[]): CopyOnWriteMessages {
  const originals = new Map<ModelMessage, ModelMessage>();
  const copies = messages.map((message) => {
    const copy = copyMessage(message);
    originals.set(copy, message);
    return copy;
  });
  return {
    copies,
    commit: (messages) =>
      messages.map((message) => {
        const original = originals.get(message);
        return original !== undefined && isSame(message, original) ? original : message;
      }),
  };
}

function copyMessage(message: ModelMessage): ModelMessage {
  const { content } = message;
  if (typeof content === 'string') return { ...message };
  return { ...message, content: content.map((part) => ({ ...part })) } as ModelMessage;
}

function isSame(copy: ModelMessage, { content, ...rest }: ModelMessage): boolean {
  const { content: copied, ...copiedRest } = copy;
  if (!hasSameFields(copiedRest, rest)) return false;
  if (typeof content === 'string' || typeof copied === 'string') return copied === content;
  return (
    copied.length === content.length && copied.every((part, index) => hasSameFields(part, content[index]!))
  );
}

function hasSameFields(one: object, other: object): boolean {
  const fields = Object.entries(one);
  return (
    fields.length === Object.keys(other).length &&
    fields.every(([name, value]) => value === (other as Record<string, unknown>)[name])
  );
}
