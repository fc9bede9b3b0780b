import type { RunState } from '@cueline/core';
import { clsx } from 'clsx';
import { CornerDownLeft } from 'lucide-react';
import { useState } from 'react';
import { reply } from '../state/run-session.ts';
import { Button } from '../ui/button.tsx';

const placeholders: Record<RunState['status'], string> = {
  idle: 'Reply once the run is done',
  running: 'Reply once the run is done',
  waiting: 'Reply once the run is done',
  done: 'Reply…',
  stopped: 'Run again to reply',
  error: 'Run again to reply',
};

/**
 * Continues the conversation after a run. Always present, so that the transcript above keeps its place; on a phone, a
 * waiting
 * card takes its room.
 */
export function ReplyBox({ status, asks }: { status: RunState['status']; asks: boolean }) {
  const ready = status === 'done';
  const [text, setText] = useState('');
  const send = (): void => {
    if (!ready || text.trim() === '') return;
    reply(text.trim());
    setText('');
  };
  return (
    <form
      className={clsx(
        'shrink-0 border-t border-line bg-panel px-5 py-3 narrow:px-3',
        asks && 'narrow:hidden',
      )}
      onSubmit={(event) => {
        event.preventDefault();
        send();
      }}
    >
      <div className="mx-auto flex max-w-[720px] items-end gap-2 rounded-lg border border-line-strong/70 bg-panel p-1.5 focus-within:border-focus">
        <textarea
          aria-label="Reply"
          placeholder={placeholders[status === 'waiting' && !asks ? 'stopped' : status]}
          disabled={!ready}
          rows={1}
          value={text}
          onChange={(event) => setText(event.target.value)}
          onKeyDown={(event) => {
            if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return;
            event.preventDefault();
            send();
          }}
          className="field-sizing-content max-h-40 min-h-7 flex-1 resize-none bg-transparent px-2 py-1 text-lg outline-none placeholder:text-ink-3 narrow:min-h-11 narrow:py-2.5"
        />
        <Button type="submit" look="outline" disabled={!ready || text.trim() === ''}>
          Send
          <CornerDownLeft className="text-ink-3" />
        </Button>
      </div>
    </form>
  );
}
