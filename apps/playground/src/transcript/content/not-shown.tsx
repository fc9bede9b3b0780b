import { useState } from 'react';

/** How much of a text is drawn at first, and again at each press, in characters. */
const AT_ONCE = 20_000;

/** The beginning of a text, and a button for more of it. */
export function LongText({ text }: { text: string }) {
  const [length, setLength] = useState(AT_ONCE);
  if (text.length <= length) return text;
  return (
    <>
      {text.slice(0, length)}…{' '}
      <button
        type="button"
        className="text-sm text-text-kind underline"
        onClick={() => setLength(length + AT_ONCE)}
      >
        Show more ({(text.length - length).toLocaleString('en')} characters left)
      </button>
    </>
  );
}

/** The replacement for a part that could not be drawn, with its text if it has one. */
export function NotShown({ text }: { text?: string | undefined }) {
  return (
    <div role="group" aria-label="Part that cannot be shown" className="text-ink-2">
      <p className="text-sm text-ink-3">This part cannot be shown.</p>
      {text !== undefined && text !== '' && <PlainText text={text} />}
    </div>
  );
}

/** Plain text, for text that is useless or too long as markdown. */
export function PlainText({ text }: { text: string }) {
  return (
    <pre className="scroll max-h-96 font-mono text-sm wrap-anywhere whitespace-pre-wrap text-ink-2">
      <LongText text={text} />
    </pre>
  );
}
