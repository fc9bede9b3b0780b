import { clsx } from 'clsx';
import { CornerDownRight, RotateCw, TriangleAlert } from 'lucide-react';
import { formatDuration } from '../../ui/format.ts';
import { LongText } from '../../ui/long-text.tsx';
import { MoreButton, useFirstItems } from '../../ui/more-button.tsx';
import { Sentence } from '../../ui/text/sentence.tsx';
import { visibleText } from '../../ui/visible-text.ts';
import type { StepNote } from './step-notes.ts';

const styles = {
  retry: { Icon: RotateCw, className: 'text-warn' },
  warning: { Icon: TriangleAlert, className: 'text-warn' },
  steer: { Icon: CornerDownRight, className: 'text-ink-3' },
} as const;

/** How much of a note is drawn at first, in characters. */
const FIRST_CHARACTERS = 500;

/** The retries, warnings and messages to the model of a step, each with its time and its reason. */
export function NoteList({ notes }: { notes: readonly StepNote[] }) {
  const { shown, left, onMore } = useFirstItems(notes, 20);
  if (notes.length === 0) return null;
  return (
    <div className="border-b border-line bg-raised px-4 narrow:px-3 py-1.5">
      <ul aria-label="Notes" className="grid grid-cols-[minmax(0,1fr)] gap-1">
        {shown.map(({ key, kind, t, label, text }) => {
          const { Icon, className } = styles[kind];
          // a message to the model may be the words of the user or of a script
          const NoteText = kind === 'steer' ? LongText : Sentence;
          return (
            <li key={key} data-note={kind} className="text-sm">
              <p className="flex items-center gap-1.5">
                <Icon aria-hidden className={clsx('size-3.5 shrink-0', className)} />
                <span className="min-w-0 font-medium wrap-anywhere">{label}</span>
                {t !== undefined && (
                  <span className="ml-auto shrink-0 pl-2 text-ink-3">at {formatDuration(t)}</span>
                )}
              </p>
              <p className="pl-5 wrap-anywhere whitespace-pre-wrap text-ink-2">
                <NoteText text={visibleText(text)} atOnce={FIRST_CHARACTERS} />
              </p>
            </li>
          );
        })}
      </ul>
      {left > 0 && (
        <MoreButton className="my-1" onMore={onMore}>
          Show more notes
        </MoreButton>
      )}
    </div>
  );
}
