import { LongText } from '../../ui/long-text.tsx';
import { visibleText } from '../../ui/visible-text.ts';

/** The replacement for a part that could not be drawn, with its text if it has one. */
export function NotShown({ text }: { text?: string | undefined }) {
  return (
    <div role="group" aria-label="Part that cannot be shown" className="text-ink-2">
      <p className="text-sm text-ink-3">This part cannot be shown.</p>
      {text !== undefined && text !== '' && <PlainText text={text} />}
    </div>
  );
}

/** Plain text, for text that would be unreadable or too long as markdown. */
export function PlainText({ text }: { text: string }) {
  return (
    <pre className="scroll max-h-96 font-mono text-sm wrap-anywhere whitespace-pre-wrap text-ink-2">
      <LongText text={visibleText(text)} />
    </pre>
  );
}
