import { remotePrompt, viaRoute } from '@cueline/core';
import { PromptProvider, usePrompt } from '@cueline/react';
import { indexedDbStorage } from '@cueline/react/indexeddb';
import { useState } from 'react';
import type { desk } from '../desk.ts';
import { Card, Wishes, type Question } from './parts.tsx';

const remoteDesk = remotePrompt<typeof desk>('desk');
const executor = viaRoute('/api/desk');
const storage = indexedDbStorage();

/** Uses Cueline's hook: the page passes its functions to `usePrompt`. */
export function PromptDesk() {
  return (
    <PromptProvider executor={executor} persist={storage}>
      <Stay />
    </PromptProvider>
  );
}

function Stay() {
  const { question, asked, ask } = useQuestion();
  const { status, text, toolCalls, send } = usePrompt(remoteDesk, {
    id: 'stay',
    tools: {
      pickRoom: ({ rooms }, { signal }) => ask('Which room would you like?', rooms, signal),
      payDeposit: ({ euros }, { signal }) => ask(`Pay a deposit of ${euros} €?`, ['Pay'], signal),
      confirm: (_input, { signal }) => ask('Is that right?', ['Yes'], signal),
    },
  });
  return (
    <>
      <Wishes isBusy={status === 'running' || status === 'waiting'} onWish={(wish) => void send(wish)} />
      {toolCalls.map(({ toolCallId, toolName, state }) => (
        <p key={toolCallId} className="call">
          {toolName}: {state}
        </p>
      ))}
      {question !== undefined && <Card {...question} />}
      <p data-testid="text">{text}</p>
      <footer>
        <span role="status">{status}</span>
        <span data-testid="asked">{`asked ${asked}×`}</span>
      </footer>
    </>
  );
}

/** A question that a function waits for. It is removed once its call needs no answer any more. */
function useQuestion() {
  const [question, setQuestion] = useState<Question>();
  const [asked, setAsked] = useState(0);
  const ask = (title: string, options: string[], signal: AbortSignal): Promise<string> => {
    setAsked((before) => before + 1);
    return new Promise((resolve, reject) => {
      const close = (): void => setQuestion(undefined);
      signal.addEventListener('abort', close, { once: true });
      setQuestion({
        title,
        options,
        onAnswer: (option) => (close(), resolve(option)),
        onRefuse: () => (close(), reject(new Error('The guest would rather not say.'))),
      });
    });
  };
  return { question, asked, ask };
}
