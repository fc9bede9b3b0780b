import { useChat } from '@ai-sdk/react';
import { DefaultChatTransport, lastAssistantMessageIsCompleteWithToolCalls } from 'ai';
import { Card, Wishes } from './parts.tsx';

const transport = new DefaultChatTransport({ api: '/api/desk' });
const options: Record<string, { title: string; options: string[] }> = {
  pickRoom: { title: 'Which room would you like?', options: ['Garden room', 'Sea room', 'Attic'] },
  payDeposit: { title: 'Pay a deposit of 40 €?', options: ['Pay'] },
  confirm: { title: 'Is that right?', options: ['Yes'] },
};

/** A stock `useChat` at the same route: a call is a part of the message, answered with `addToolOutput`. */
export function ChatDesk() {
  const { messages, status, error, sendMessage, addToolOutput } = useChat({
    transport,
    sendAutomaticallyWhen: lastAssistantMessageIsCompleteWithToolCalls,
  });
  const parts = messages.flatMap(({ role, parts }) => (role === 'assistant' ? parts : []));
  return (
    <>
      <Wishes isBusy={status !== 'ready'} onWish={(text) => void sendMessage({ text })} />
      {parts.map((part, index) => {
        if (part.type === 'text') return <p key={index}>{part.text}</p>;
        if (!('toolCallId' in part)) return null;
        const { toolCallId, state } = part;
        const name = part.type.slice('tool-'.length);
        const question = options[name];
        if (state !== 'input-available' || question === undefined) {
          return (
            <p key={toolCallId} className="call">
              {name}: {state}
            </p>
          );
        }
        return (
          <Card
            key={toolCallId}
            {...question}
            onAnswer={(output) => void addToolOutput({ tool: name, toolCallId, output })}
            onRefuse={() =>
              void addToolOutput({
                state: 'output-error',
                tool: name,
                toolCallId,
                errorText: 'The guest would rather not say.',
              })
            }
          />
        );
      })}
      <footer>
        <span role="status">{error === undefined ? status : error.message}</span>
      </footer>
    </>
  );
}
