import { useChat } from '@ai-sdk/react';
import { definePrompt } from '@cueline/core';
import { PromptTransport, type PromptUIMessage } from '@cueline/core/ai-sdk';
import { lastAssistantMessageIsCompleteWithApprovalResponses, type LanguageModel } from 'ai';
import { useState, type ReactElement } from 'react';
import * as z from 'zod';
import { MessageParts } from './message-parts.tsx';

// #region chat
const assistant = definePrompt('assistant', (prompt) => {
  prompt.defSystem('role', 'You help with mail.');
  prompt.defTool(
    'sendMail',
    'Sends a mail',
    z.object({ to: z.string(), text: z.string() }),
    ({ to }) => `sent to ${to}`,
    { needsApproval: true },
  );
});

export function Chat({ model }: { model: LanguageModel }): ReactElement {
  const [text, setText] = useState('');
  const chat = useChat<PromptUIMessage>({
    transport: new PromptTransport(assistant, { model }),
    sendAutomaticallyWhen: lastAssistantMessageIsCompleteWithApprovalResponses,
  });
  const busy = chat.status === 'submitted' || chat.status === 'streaming';
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        void chat.sendMessage({ text });
        setText('');
      }}
    >
      {chat.messages.map((message) => (
        <MessageParts key={message.id} message={message} onAnswer={chat.addToolApprovalResponse} />
      ))}
      {chat.error && <p role="alert">{chat.error.message}</p>}
      <input aria-label="Message" value={text} onChange={(event) => setText(event.target.value)} />
      <button hidden={busy}>Send</button>
      <button type="button" hidden={!busy} onClick={() => void chat.stop()}>
        Stop
      </button>
    </form>
  );
}
// #endregion
