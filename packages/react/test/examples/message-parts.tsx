import type { PromptUIMessage } from '@cueline/core/ai-sdk';
import { getToolName, isToolUIPart } from 'ai';
import type { ReactElement } from 'react';

type Props = {
  message: PromptUIMessage;
  /** Answers what a tool asks, where this shows a chat. */
  onAnswer?: (answer: { id: string; approved: boolean }) => unknown;
};

/** A message of a chat or of a run: both have the AI SDK's parts. */
export function MessageParts({ message, onAnswer }: Props): ReactElement {
  return (
    <article aria-label={message.role}>
      {message.parts.map((part, index) => {
        if (part.type === 'text') return <p key={index}>{part.text}</p>;
        if (part.type === 'data-tasks') {
          return (
            <ul key={index}>
              {part.data.map(({ id, title, status }) => (
                <li key={id}>
                  {title}: {status}
                </li>
              ))}
            </ul>
          );
        }
        if (!isToolUIPart(part)) return null;
        return (
          <section key={index}>
            <code>{`${getToolName(part)}(${JSON.stringify(part.input)})`}</code> {part.state}
            {part.state === 'approval-requested' && onAnswer !== undefined && (
              <>
                <button onClick={() => onAnswer({ id: part.approval.id, approved: true })}>Approve</button>
                <button onClick={() => onAnswer({ id: part.approval.id, approved: false })}>Refuse</button>
              </>
            )}
          </section>
        );
      })}
    </article>
  );
}
