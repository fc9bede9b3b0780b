import { isPending } from '@cueline/core';
import { usePrompt } from '@cueline/react';
import type { IndexedDbStorage } from '@cueline/react/indexeddb';
import { useRef } from 'react';
import { StickToBottom } from 'use-stick-to-bottom';
import { guestDesk } from '../remote-prompts.ts';
import { Restored } from '../ui/restored.tsx';
import { RunStatus } from '../ui/run-status.tsx';
import { ApprovalCard } from './approval-card.tsx';
import { Composer } from './composer.tsx';
import { Conversations } from './conversations.tsx';
import { EmptyChat } from './empty-chat.tsx';
import { Message } from './message.tsx';

/** A conversation with tools, one of which asks before it runs. */
export function ChatPage({ id, storage }: { id: string; storage: IndexedDbStorage }) {
  const { messages, toolCalls, approvals, status, send, respondToApproval, run } = usePrompt(guestDesk, {
    id,
  });
  const composer = useRef<HTMLTextAreaElement>(null);
  const say = (text: string): void => void send(text, { whenBusy: 'queue' });
  const pick = (text: string, isByKeyboard: boolean): void => {
    say(text);
    // the focused element disappears; a touch screen needs no keyboard for that
    if (isByKeyboard) composer.current?.focus();
  };
  return (
    <Restored run={run}>
      <div className="flex h-full narrow:flex-col">
        <Conversations currentId={id} status={status} storage={storage} />
        <section aria-label="Chat" className="flex min-h-0 min-w-0 flex-1 flex-col">
          <StickToBottom className="relative min-h-0 flex-1" resize="instant" initial="instant">
            <StickToBottom.Content
              scrollClassName="scroll"
              className="mx-auto flex max-w-[760px] flex-col gap-4 px-5 py-6 narrow:px-3"
            >
              {messages.length === 0 && <EmptyChat onPick={pick} />}
              <div
                role="log"
                aria-label="Conversation"
                aria-busy={status === 'running'}
                className="flex flex-col gap-4"
              >
                {messages.map((message, index) => (
                  <Message
                    key={message.id}
                    message={message}
                    // they belong to the last turn; earlier turns are in their messages
                    toolCalls={index === messages.length - 1 ? toolCalls : undefined}
                    approvals={index === messages.length - 1 ? approvals : undefined}
                  />
                ))}
              </div>
              {approvals.filter(isPending).map((approval) => (
                <ApprovalCard
                  // the same card if the run asks again, so that the typed text stays
                  key={approval.toolCallId}
                  approval={approval}
                  respond={respondToApproval}
                  onAnswered={() => composer.current?.focus()}
                />
              ))}
            </StickToBottom.Content>
          </StickToBottom>
          <div className="mx-auto w-full max-w-[760px] px-5 pb-4 narrow:px-3 narrow:pb-3">
            <RunStatus run={run} />
            <Composer ref={composer} onSend={say} />
          </div>
        </section>
      </div>
    </Restored>
  );
}
