import { clsx } from 'clsx';
import { ArrowDown } from 'lucide-react';
import { memo, useEffect, useRef, type SyntheticEvent } from 'react';
import { Virtualizer, type VirtualizerHandle } from 'virtua';
import { selectionKey, useInspection } from '../state/inspection.ts';
import { useRunAt, useShownRun, type ShownRun } from '../state/shown-run.ts';
import { usePlayground, type RunSession } from '../state/store.ts';
import { LatestRows, latestOf } from './list/latest-rows.tsx';
import { ListItemView } from './list/list-item-view.tsx';
import { listItems } from './list/list-items.ts';
import { ListContainer, ListRow, RowCount } from './list/list-row.tsx';
import { rowOfSelection } from './list/mounted-rows.ts';
import { useMountedRows } from './list/use-mounted-rows.ts';
import { useRoughHeight } from './list/use-rough-height.ts';
import { useStickToEnd, type StickToEnd } from './list/use-stick-to-end.ts';
import { useTouchedRows } from './list/use-touched-rows.ts';

/** The room above the first row, in pixels. */
const TOP = 16;

/**
 * The rows of a run, newest at the bottom. The view follows the end until the user scrolls up, and again after the
 * user's next message. A run that came in a link is read from its beginning. Of a long run, only the rows in view and
 * a few more are on the page.
 */
export function Transcript({ session }: { session: RunSession }) {
  const scrub = useInspection((state) => state.scrub);
  const latest = useShownRun(session);
  const before = useRunAt(session, scrub?.from);
  return scrub === undefined ? (
    <TranscriptRows session={session} shown={latest} dragged={undefined} />
  ) : (
    <TranscriptRows session={session} shown={before} dragged={latest} />
  );
}

type TranscriptRowsProps = {
  session: RunSession;
  /** The run as the list shows it. */
  shown: ShownRun;
  /** The run at the moment to which the user drags. The list shows it only if its last rows cannot represent it. */
  dragged: ShownRun | undefined;
};

/** The rows of a run at a moment. */
const TranscriptRows = memo(function TranscriptRows({
  session,
  shown: atRest,
  dragged,
}: TranscriptRowsProps) {
  const scroller = useRef<HTMLDivElement>(null);
  const virtualizer = useRef<VirtualizerHandle>(null);
  // a recording plays: its end is followed
  const fromStart = session.shared && session.recorded !== true;
  const stick = useStickToEnd(scroller, { atEnd: !fromStart, start: session });
  const touched = useTouchedRows(scroller);
  const height = useRoughHeight(scroller);
  const hasConsole = usePlayground((state) => state.console.length > 0);
  const latest = dragged && latestOf(listItems(session, dragged, hasConsole), height);
  // a row that the user has unfolded or marked is shown as it is
  const showsLatest = latest !== undefined && stick.isAtEnd && !touched.isAmong(latest.items);
  const shown = showsLatest ? atRest : (dragged ?? atRest);
  const rows = listItems(session, shown, hasConsole);
  const selection = useInspection((state) => state.selection);
  const selected = rowOfSelection(rows, selection);
  useRevealed({ scroller, virtualizer, stick, selected, selection: selectionKey(selection) });
  const mounted = useMountedRows({
    touched,
    rows,
    selected,
    fromStart,
    canSearch: !shown.isPast,
  });
  const onTouch = ({ target }: SyntheticEvent): void => touched.touch(rows, target as Node);
  return (
    <div className="relative flex min-h-0 flex-1 flex-col short:min-h-32">
      <div
        ref={scroller}
        // what a user unfolds stays where it is, and grows downwards
        onClickCapture={(event) => {
          if (isFolded(event.target)) stick.release();
          onTouch(event);
        }}
        onFocusCapture={onTouch}
        className={clsx('scroll min-h-0 flex-1', showsLatest && 'invisible')}
      >
        <div style={{ paddingTop: TOP }} className="mx-auto max-w-[760px] px-5 pb-5 narrow:px-4">
          <RowCount value={rows.length}>
            <Virtualizer
              ref={virtualizer}
              scrollRef={scroller}
              startMargin={TOP}
              as={ListContainer}
              item={ListRow}
              keepMounted={mounted}
              onResize={stick.settle}
              data={rows}
            >
              {(item) => <ListItemView key={item.key} item={item} session={session} shown={shown} />}
            </Virtualizer>
          </RowCount>
        </div>
      </div>
      {showsLatest && <LatestRows latest={latest} session={session} shown={dragged!} />}
      {!stick.isAtEnd && <ToNewest onPress={stick.stick} />}
    </div>
  );
});

function isFolded(target: EventTarget): boolean {
  return target instanceof Element && target.closest('[aria-expanded=false]') !== null;
}

type RevealedOptions = {
  scroller: { readonly current: HTMLElement | null };
  virtualizer: { readonly current: VirtualizerHandle | null };
  stick: StickToEnd;
  /** The selected row, and the key of the selection. */
  selected: number;
  selection: string;
};

/** Scrolls to the selected row when the selection changes. A row inside an open card scrolls itself into view. */
function useRevealed({ scroller, virtualizer, stick, selected, selection }: RevealedOptions): void {
  const row = useRef(-1);
  useEffect(() => {
    row.current = selected;
  });
  const { release } = stick;
  useEffect(() => {
    const view = scroller.current;
    const element = view?.querySelector(`[data-transcript-row="${row.current}"]`);
    if (view === null || element === null || element === undefined) return;
    if (isOutside(element, view)) {
      release();
      virtualizer.current?.scrollToIndex(row.current, { align: 'nearest' });
      element.querySelector('[data-selected]')?.scrollIntoView({ block: 'nearest' });
    } else if (view.scrollTop + view.clientHeight < view.scrollHeight - 1) release();
  }, [selection, release, scroller, virtualizer]);
}

function isOutside(element: Element, view: Element): boolean {
  const [inner, outer] = [element.getBoundingClientRect(), view.getBoundingClientRect()];
  return inner.top < outer.top || inner.bottom > outer.bottom;
}

/** Goes to the end. It has a row of its own, because it would cover what is in view. */
function ToNewest({ onPress }: { onPress: () => void }) {
  return (
    <button
      type="button"
      onClick={onPress}
      className="flex h-7 shrink-0 items-center justify-center gap-1.5 border-t border-line bg-panel text-sm text-ink-2 hover:bg-hover hover:text-ink focus-visible:-outline-offset-2 narrow:h-11"
    >
      <ArrowDown className="size-3.5" />
      Newest
    </button>
  );
}
