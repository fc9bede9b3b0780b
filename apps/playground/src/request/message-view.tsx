import type { CompiledRequest } from '@cueline/core';
import { FileText } from 'lucide-react';
import { JsonView } from '../ui/json-view.tsx';

type Message = CompiledRequest['messages'][number];

const roles: Record<Message['role'], string> = {
  system: 'System',
  user: 'User',
  assistant: 'Assistant',
  tool: 'Tool results',
};

/** One message of a request: its texts as they are, its other parts as data. */
export function MessageView({ message }: { message: Message }) {
  const { role, content } = message;
  const parts: readonly unknown[] = Array.isArray(content) ? content : [{ type: 'text', text: content }];
  return (
    <div className="rounded-lg border border-line bg-panel px-3 py-2">
      <p className="mb-0.5 text-xs font-medium text-ink-3">{roles[role] ?? 'Message'}</p>
      <div className="grid gap-1.5">
        {parts.map((part, index) => (
          <PartView key={index} part={part as Record<string, unknown>} />
        ))}
      </div>
    </div>
  );
}

/** A part of a message, which may come from a script: nothing about its members is sure. */
function PartView({ part }: { part: Record<string, unknown> }) {
  const { type, text, mediaType, filename } = part;
  if (typeof text === 'string' && (type === 'text' || type === 'reasoning')) return <JsonView value={text} />;
  if (type === 'file' || type === 'image') {
    return (
      <p className="flex items-center gap-1.5 text-sm text-ink-2">
        <FileText aria-hidden className="size-3.5 shrink-0 text-ink-3" />
        <span className="truncate">{typeof filename === 'string' ? filename : 'File'}</span>
        <span className="text-ink-3">{typeof mediaType === 'string' ? mediaType : type}</span>
      </p>
    );
  }
  return <JsonView value={part} />;
}
