import type { UIMessage } from 'ai';
import { memo, type ReactElement } from 'react';

/** The messages above the answer. A message that is the same object as before is not rendered again. */
export function Earlier({ messages }: { messages: readonly UIMessage[] }): ReactElement[] {
  return messages.map((message) => <Message key={message.id} message={message} />);
}

const Message = memo(function Message({ message }: { message: UIMessage }): ReactElement {
  return <p>{message.parts.map((part) => (part.type === 'text' ? part.text : '')).join('')}</p>;
});

/** The answer so far. */
export function Answer({ text }: { text: string }): ReactElement {
  return <p id="answer">{text}</p>;
}
