import type { ModelMessage } from 'ai';
import { clsx } from 'clsx';
import { Bot, CircleAlert, ScrollText, User, Wrench } from 'lucide-react';
import { memo, useMemo, useState } from 'react';
import { FileView } from '../transcript/content/file-part.tsx';
import { DataView } from '../ui/data/data-view.tsx';
import { LongText } from '../ui/long-text.tsx';
import { ShowMore, useFirstItems } from '../ui/more-button.tsx';
import { EmptyText } from '../ui/section.tsx';
import { visibleText } from '../ui/visible-text.ts';
import { partsOfMessage, type MessagePart } from './message-parts.ts';

/** How many messages are drawn at first, and again at each press. */
const MESSAGES_AT_ONCE = 10;
/** How much of a text is drawn at first, in characters. */
const FIRST_CHARACTERS = 2_000;

const roles = {
  user: { Icon: User, word: 'User' },
  assistant: { Icon: Bot, word: 'Assistant' },
  tool: { Icon: Wrench, word: 'Tool results' },
  system: { Icon: ScrollText, word: 'System' },
} as const;

/** The messages of a request. A long request shows its last messages. */
export function MessageList({ messages }: { messages: readonly ModelMessage[] }) {
  const [most, setMost] = useState(MESSAGES_AT_ONCE);
  if (messages.length === 0) return <EmptyText>This request has no messages.</EmptyText>;
  const first = Math.max(0, messages.length - most);
  return (
    <>
      <ShowMore left={first} label="Show earlier messages" onMore={() => setMost(most + MESSAGES_AT_ONCE)} />
      <ol className="grid grid-cols-[minmax(0,1fr)] gap-2">
        {messages.slice(first).map((message, index) => (
          <li key={first + index} className="row-lazy">
            <MessageView message={message} number={first + index + 1} />
          </li>
        ))}
      </ol>
    </>
  );
}

type MessageViewProps = { message: ModelMessage; number?: number };

/** A message of a request: who wrote it, and its parts. */
export const MessageView = memo(function MessageView({ message, number }: MessageViewProps) {
  const parts = useMemo(() => partsOfMessage(message), [message]);
  const { shown, ...more } = useFirstItems(parts, 20);
  const { Icon, word } = Object.hasOwn(roles, message.role) ? roles[message.role] : roles.user;
  return (
    <div className="rounded-lg border border-line px-2.5 py-1.5">
      <p className="flex items-center gap-1.5 text-xs font-medium text-ink-3">
        <Icon aria-hidden className="size-3.5 shrink-0" />
        {word}
        {number !== undefined && <span className="ml-auto font-normal">{number}</span>}
      </p>
      <div className="grid grid-cols-[minmax(0,1fr)] gap-1.5 pt-0.5">
        {shown.map((part, index) => (
          <PartView key={index} part={part} />
        ))}
      </div>
      <ShowMore {...more} noun="part" />
    </div>
  );
});

function PartView({ part }: { part: MessagePart }) {
  switch (part.kind) {
    case 'text':
      return <PlainWords text={part.text} />;
    case 'reasoning':
      return (
        <div className="border-l-2 border-thinking pl-2">
          <p className="text-xs text-thinking">Thinking</p>
          <PlainWords text={part.text} quiet />
        </div>
      );
    case 'file':
      return <FileView file={part.file} />;
    case 'data':
      return <DataView label={part.type} value={part.value} />;
    case 'call':
      return <DataView label={`Call of ${visibleText(part.toolName)}`} value={part.value} />;
    case 'result':
      return <DataView label={`Result of ${visibleText(part.toolName)}`} value={part.value} />;
    case 'error':
      return (
        <div className="flex gap-1.5 rounded-md bg-danger-soft px-2 pb-1">
          <CircleAlert aria-hidden className="mt-1.5 size-3.5 shrink-0 text-danger" />
          <div className="min-w-0 flex-1">
            <DataView label={`Error of ${visibleText(part.toolName)}`} value={part.value} />
          </div>
        </div>
      );
  }
}

function PlainWords({ text, quiet = false }: { text: string; quiet?: boolean }) {
  const visible = useMemo(() => visibleText(text), [text]);
  if (text === '') return <EmptyText>empty text</EmptyText>;
  return (
    <p className={clsx('wrap-anywhere whitespace-pre-wrap', quiet && 'text-ink-2')}>
      <LongText text={visible} atOnce={FIRST_CHARACTERS} />
    </p>
  );
}
