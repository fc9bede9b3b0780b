import { Pause } from 'lucide-react';
import { type ReactNode, type RefObject, useEffect, useId } from 'react';
import { Data } from '../ui/data/data-view.tsx';
import { Keys } from '../ui/keys.tsx';
import { visibleText } from '../ui/visible-text.ts';

type PendingCardProps = {
  /** The card itself, which takes the focus. */
  ref: RefObject<HTMLElement | null>;
  testId: string;
  /** Name of the agent that asks; missing if the run itself asks. */
  agent: string | undefined;
  /** True while the card is not shown. */
  hidden: boolean;
  question: ReactNode;
  /** Its position among the waiting cards, from 1. */
  place: number;
  total: number;
  /** Why the last response was not accepted. */
  refusal: string | undefined;
  children: ReactNode;
};

/** The frame of a card that waits for a response: the question, its content, and why a response was not accepted. */
export function PendingCard({
  ref,
  testId,
  agent,
  hidden,
  question,
  place,
  total,
  refusal,
  children,
}: PendingCardProps) {
  const title = useId();
  useEffect(() => {
    // a user who is typing elsewhere keeps the focus there; the shortcut moves it here
    if (!hidden && !isWriting(document.activeElement)) ref.current?.focus();
  }, [ref, hidden]);
  return (
    <section
      ref={ref}
      role="group"
      tabIndex={-1}
      aria-labelledby={title}
      data-testid={testId}
      data-pending
      // its form scrolls, so that the buttons stay in view; if even they do not fit, the whole card scrolls
      className="scroll relative flex min-h-0 flex-col gap-2.5 rounded-lg border border-warn/45 bg-warn-soft p-3 outline-offset-2"
    >
      <div className="flex shrink-0 items-center gap-2">
        <Pause aria-hidden className="size-3.5 shrink-0 text-warn" />
        <h3 id={title} className="line-clamp-3 min-w-0 flex-1 wrap-anywhere">
          {agent !== undefined && <bdi className="text-ink-2">{visibleText(agent)}: </bdi>}
          {question}
        </h3>
        {total > 1 && (
          <span className="shrink-0 text-sm text-ink-2">
            {place} of {total}
          </span>
        )}
        <Keys keys={['Mod', 'Shift', '↵']} className="shrink-0 text-ink-2 narrow:hidden" />
      </div>
      {children}
      {refusal !== undefined && (
        <p role="alert" className="text-sm wrap-anywhere text-danger">
          {visibleText(refusal)}
        </p>
      )}
    </section>
  );
}

/** The arguments of a waiting call. */
export function CallArguments({ input }: { input: unknown }) {
  return (
    <div
      role="group"
      aria-label="Arguments"
      className="scroll max-h-[24vh] min-h-9.5 rounded-md border border-line bg-panel px-2.5 py-2"
    >
      <Data value={input} />
    </div>
  );
}

const FIELDS = 'input, textarea, select, [contenteditable=true], .native-edit-context';

/** True for an element that takes keyboard input at the moment. */
export function isWriting(element: Element | null): boolean {
  // the reply box is read-only while its reply runs
  return element?.matches(FIELDS) === true && !element.matches('[readonly]');
}
