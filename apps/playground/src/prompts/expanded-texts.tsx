import { plural } from '../ui/format.ts';
import { LongText } from '../ui/long-text.tsx';
import { visibleText } from '../ui/visible-text.ts';
import type { Expansion } from './check-prompts.ts';

/** How much of a text is drawn at first, in characters. */
const DRAWN_AT_FIRST = 200_000;

/** The texts that the model will be sent. */
export function ExpandedTexts({ expansion }: { expansion: Expansion | undefined }) {
  if (expansion === undefined) {
    return (
      <p className="p-4 text-ink-2">
        This version has faults. Correct what is marked in its form, and the preview appears.
      </p>
    );
  }
  if ('problems' in expansion) {
    return (
      <div className="p-4 text-ink-2">
        <p>Some values do not fit yet:</p>
        <ul className="mt-1 list-disc pl-5">
          {[...expansion.problems].map(([name, message]) => (
            <li key={name}>
              <span className="font-mono text-ink">{visibleText(name)}</span> {visibleText(message)}.
            </li>
          ))}
        </ul>
      </div>
    );
  }
  return (
    <div className="grid gap-4 p-4" data-testid="expansion">
      {expansion.system !== '' && <ExpandedText title="System prompt" text={expansion.system} />}
      <ExpandedText title="User message" text={expansion.user} />
    </div>
  );
}

function ExpandedText({ title, text }: { title: string; text: string }) {
  return (
    <section>
      <h3 className="mb-1 flex items-baseline gap-2 text-sm font-medium">
        {title}
        <span className="font-normal text-ink-3">{plural(text.length, 'character')}</span>
      </h3>
      <pre
        dir="auto"
        className="rounded-lg border border-line bg-panel px-3 py-2.5 font-sans text-lg whitespace-pre-wrap wrap-anywhere"
      >
        <LongText text={visibleText(text)} atOnce={DRAWN_AT_FIRST} />
      </pre>
    </section>
  );
}
