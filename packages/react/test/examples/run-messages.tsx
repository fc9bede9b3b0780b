import { definePrompt } from '@cueline/core';
import type { PromptUIMessage } from '@cueline/core/ai-sdk';
import { usePrompt } from '@cueline/react';
import type { LanguageModel } from 'ai';
import type { ReactElement } from 'react';
import { MessageParts } from './message-parts.tsx';

const greet = definePrompt('greet', (prompt, input: { name: string }) => {
  prompt.$`Greet ${input.name}.`;
});

export function Greeting({ model }: { model: LanguageModel }): ReactElement {
  // #region messages
  const run = usePrompt(greet, { model });
  const messages = run.messages as PromptUIMessage[];
  return (
    <section>
      <button onClick={() => void run.start({ name: 'Ada' })}>Greet</button>
      {messages.map((message) => (
        <MessageParts key={message.id} message={message} />
      ))}
    </section>
  );
  // #endregion
}
