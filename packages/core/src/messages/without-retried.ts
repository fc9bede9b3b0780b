import type { UIMessage } from 'ai';

type MessagePart = UIMessage['parts'][number];

/**
 * Returns a chat's message without the failed attempts of retried steps (`streamRetries`). The AI SDK's stream
 * cannot take back a text, so in a chat it is a step of its own, followed by a part `data-retry`. A run that
 * gets such messages leaves the step out by itself; this function is for showing them. Returns the same message
 * if there is none.
 *
 * @example
 * const { messages } = useChat<PromptUIMessage>({ transport });
 * const shown = messages.map(withoutRetried);
 */
export function withoutRetried<Message extends UIMessage>(message: Message): Message {
  return withoutSteps(message, isRetry);
}

/** True for the part that marks the step before it as void, because it was tried again. */
export function isRetry({ type }: MessagePart): boolean {
  return type === 'data-retry';
}

/**
 * Returns a message without its void steps: those with a part for which `voids` is true, from their mark to that
 * part.
 */
export function withoutSteps<Message extends UIMessage>(
  message: Message,
  voids: (part: MessagePart) => boolean,
): Message {
  if (!message.parts.some(voids)) return message;
  const parts: MessagePart[] = [];
  for (const part of message.parts) {
    if (voids(part)) {
      parts.length = Math.max(
        0,
        parts.findLastIndex(({ type }) => type === 'step-start'),
      );
    } else parts.push(part);
  }
  return { ...message, parts };
}
