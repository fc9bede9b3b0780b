/** What stands in the place of a part that could not be drawn, with its text where it has one. */
export function NotShown({ text }: { text?: string | undefined }) {
  return (
    <div role="group" aria-label="Part that cannot be shown" className="text-ink-2">
      <p className="text-sm text-ink-3">This part cannot be shown.</p>
      {text !== undefined && text !== '' && <PlainText text={text} />}
    </div>
  );
}

/** Text as it was written, for what is no use or too much as markdown. */
export function PlainText({ text }: { text: string }) {
  return (
    <pre className="scroll max-h-96 font-mono text-sm wrap-anywhere whitespace-pre-wrap text-ink-2">
      {text}
    </pre>
  );
}
