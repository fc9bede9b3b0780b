import type { RunState } from '@cueline/core';
import type { SharedRun } from '@cueline/react';
import { clsx } from 'clsx';
import { CornerDownLeft, Paperclip } from 'lucide-react';
import { useRef } from 'react';
import { clearAttachments, fitsConversation, useAttachments } from '../state/attachments.ts';
import { useReplyDraft, writeReply, type RunView } from '../state/reply-draft.ts';
import { reply } from '../state/run-session.ts';
import { Button } from '../ui/button.tsx';
import { isComposing } from '../ui/keys.tsx';
import { IconButton } from '../ui/tip.tsx';
import { AttachmentChips } from './attachment-chips.tsx';

const placeholders: Record<RunState['status'], string> = {
  idle: 'Reply once the run is done',
  running: 'Reply once the run is done',
  waiting: 'Reply once the run is done',
  done: 'Reply…',
  stopped: 'Run again to reply',
  error: 'Run again to reply',
};

type ReplyBoxProps = {
  run: SharedRun;
  view: RunView;
  status: RunState['status'];
  /** The number of the last turn, from 0. */
  turn: number;
  asks: boolean;
  /** Adds files to the reply. */
  onFiles: (files: readonly File[]) => void;
};

/**
 * Continues the conversation after a run. Always present, so that the transcript above keeps its place; on a
 * phone, a waiting card takes its room.
 */
export function ReplyBox({ run, view, status, turn, asks, onFiles }: ReplyBoxProps) {
  const ready = status === 'done';
  const text = useReplyDraft(({ [view]: draft }) => (draft.sentAs === undefined ? draft.text : ''));
  const files = useAttachments((all) => all[view].files);
  const isEmpty = text.trim() === '' && files.length === 0;
  const send = (): void => {
    if (!ready || isEmpty || !fitsConversation(view, run.getState().messages)) return;
    reply(text.trim(), files);
    clearAttachments(view);
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
      <div className="mx-auto max-w-[720px] rounded-lg border border-line-strong/70 bg-panel p-1.5 focus-within:border-focus">
        <AttachmentChips view={view} />
        <div className="flex items-end gap-1">
          <AttachButton disabled={!ready} onFiles={onFiles} />
          <textarea
            aria-label="Reply"
            dir="auto"
            placeholder={placeholderOf(status === 'waiting' && !asks ? 'stopped' : status, turn)}
            // a box that is disabled would lose the focus with each reply
            readOnly={!ready}
            aria-disabled={!ready}
            rows={1}
            value={text}
            onChange={(event) => writeReply(view, event.target.value)}
            onKeyDown={(event) => {
              if (event.key !== 'Enter' || event.shiftKey || isComposing(event.nativeEvent)) return;
              event.preventDefault();
              send();
            }}
            onPaste={(event) => {
              const pasted = [...event.clipboardData.files];
              // copied text may come with an image of itself
              if (pasted.length === 0 || event.clipboardData.types.includes('text/plain')) return;
              event.preventDefault();
              onFiles(pasted);
            }}
            className="field-sizing-content max-h-40 min-h-7 flex-1 resize-none bg-transparent px-2 py-1 text-lg outline-none placeholder:text-ink-3 narrow:min-h-11 narrow:py-2.5"
          />
          <Button type="submit" variant="outline" disabled={!ready || isEmpty}>
            Send
            <CornerDownLeft className="text-ink-3" />
          </Button>
        </div>
      </div>
    </form>
  );
}

/** What an empty box says. A later turn that was interrupted runs again by itself, and the conversation stays. */
function placeholderOf(status: RunState['status'], turn: number): string {
  const brokeOff = status === 'stopped' || status === 'error';
  return brokeOff && turn > 0 ? 'Run this turn again to reply' : placeholders[status];
}

function AttachButton({ disabled, onFiles }: Pick<ReplyBoxProps, 'onFiles'> & { disabled: boolean }) {
  const input = useRef<HTMLInputElement>(null);
  return (
    <>
      <input
        ref={input}
        type="file"
        multiple
        hidden
        aria-label="Attached files"
        onChange={(event) => {
          onFiles([...(event.target.files ?? [])]);
          // the same file may be chosen again
          event.target.value = '';
        }}
      />
      <IconButton label="Attach files" disabled={disabled} onClick={() => input.current?.click()}>
        <Paperclip />
      </IconButton>
    </>
  );
}
