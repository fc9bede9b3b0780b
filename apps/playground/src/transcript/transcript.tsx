import { ArrowDown } from 'lucide-react';
import { useEffect, useRef } from 'react';
import { StickToBottom, useStickToBottomContext, type StickToBottomContext } from 'use-stick-to-bottom';
import { logOf, type ShownRun } from '../state/shown-run.ts';
import type { RunSession } from '../state/store.ts';
import { prefersReducedMotion } from '../ui/reduced-motion.ts';
import { ConsoleFold } from './console-fold.tsx';
import { Rows } from './row.tsx';
import { RunSummary } from './run-summary.tsx';
import { InputRow } from './rows.tsx';
import { toTranscript } from './view-model.ts';

/**
 * The rows of a run, newest at the bottom. The view follows the end until the user scrolls up. A run that
 * came in a link is read from its beginning.
 */
export function Transcript({ session, shown }: { session: RunSession; shown: ShownRun }) {
  const input = inputOf(session);
  const items = toTranscript(shown.state, shown.earlier, !shown.isPast);
  const scroll = useRef<StickToBottomContext>(null);
  return (
    <StickToBottom
      contextRef={scroll}
      // what a user unfolds stays where it is, and grows downwards
      onClickCapture={({ target }) => isFolded(target) && scroll.current?.stopScroll()}
      className="relative min-h-0 flex-1 short:min-h-32"
      resize="instant"
      initial={session.shared ? false : 'instant'}
    >
      <StickToBottom.Content
        scrollClassName="scroll"
        className="mx-auto grid max-w-[760px] grid-cols-[minmax(0,1fr)] gap-3 px-5 pt-4 pb-8 narrow:px-4"
      >
        {input !== undefined && <InputRow input={input} />}
        <Rows items={items} session={session} />
        {'script' in session.source && <ConsoleFold />}
        {!shown.isPast && <RunSummary session={session} state={shown.state} turn={shown.turn} />}
      </StickToBottom.Content>
      <KeepAtNewest />
      <ToNewest />
    </StickToBottom>
  );
}

function isFolded(target: EventTarget): boolean {
  return target instanceof Element && target.closest('[aria-expanded=false]') !== null;
}

/** The input of a run's first turn, which later turns keep. */
function inputOf(session: RunSession): unknown {
  const start = logOf(session, 0)[0];
  return start?.type === 'run-start' ? start.input : undefined;
}

/** Stays at the newest row when the transcript gets less room, such as for a card below it. */
function KeepAtNewest() {
  const { scrollRef, isAtBottom, scrollToBottom } = useStickToBottomContext();
  useEffect(() => {
    const scroller = scrollRef.current;
    if (scroller === null || !isAtBottom) return undefined;
    const observer = new ResizeObserver(() => void scrollToBottom('instant'));
    observer.observe(scroller);
    return () => observer.disconnect();
  }, [isAtBottom, scrollRef, scrollToBottom]);
  return null;
}

function ToNewest() {
  const { isAtBottom, scrollToBottom } = useStickToBottomContext();
  if (isAtBottom) return null;
  return (
    <button
      type="button"
      onClick={() => void scrollToBottom(prefersReducedMotion() ? 'instant' : 'smooth')}
      className="absolute bottom-3 left-1/2 flex h-7 -translate-x-1/2 items-center gap-1.5 rounded-full floating px-3 text-sm hover:text-text-kind narrow:h-11"
    >
      <ArrowDown className="size-3.5" />
      Newest
    </button>
  );
}
