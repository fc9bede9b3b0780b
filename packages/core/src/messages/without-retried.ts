import type { UIMessage } from 'ai';

type Part = UIMessage['parts'][number];

/**
 * A chat's message without what attempts have said that broke off and were tried again (`streamRetries`). The AI SDK's
 * stream cannot take a text back, so a chat has it as a step of its own, with a part `data-retry` behind it. A run that
 * gets such messages leaves it out by itself; this is for showing them. Returns the same message where there is none.
 *
 * @example
 * const { messages } = useChat<PromptUIMessage>({ transport });
 * const shown = messages.map(withoutRetried);
 */
export function withoutRetried<Message extends UIMessage>(message: Message): Message {
  return withoutSteps(message, isRetry);
}

/** True for the part that says that the step before it is void, since it was tried again. */
export function isRetry({ type }: Part): boolean {
  return type === 'data-retry';
}

/** A message without the steps that are void: those with a part for which `voids` is true, from their mark to that part. */
export function withoutSteps<Message extends UIMessage>(
  message: Message,
  voids: (part: Part) => boolean,
): Message {
  if (!message.parts.some(voids)) return message;
  const parts: Part[] = [];
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
