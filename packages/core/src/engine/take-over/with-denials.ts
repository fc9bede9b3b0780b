import type { UIMessage } from 'ai';

/** Returns a message in which the provider still reads that its call was refused, as in the run that asked. */
export function withDenials(message: UIMessage): UIMessage {
  const isDenied = (part: UIMessage['parts'][number]): boolean =>
    'toolCallId' in part && part.providerExecuted === true && part.state === 'output-denied';
  if (!message.parts.some(isDenied)) return message;
  return {
    ...message,
    parts: message.parts.map((part) =>
      isDenied(part) ? ({ ...part, state: 'approval-responded' } as typeof part) : part,
    ),
  };
}
