import { ArrowDown } from 'lucide-react';
import { memo, useEffect, useRef, type ReactElement } from 'react';
import { Virtualizer, type VirtualizerHandle } from 'virtua';
import { selectionKey, useInspection } from '../state/inspection.ts';
import { logOf, useRunAt, type ShownRun } from '../state/shown-run.ts';
import type { RunSession } from '../state/store.ts';
import { useOneByOne } from '../state/use-one-by-one.ts';
import { ConsoleFold } from './console-fold.tsx';
import { ListContainer, ListRow, RowCount } from './list-row.tsx';
import { rowOfSelection } from './mounted-rows.ts';
import { SafeRow } from './row.tsx';
import { InputRow } from './rows.tsx';
import { RunSummary } from './run-summary.tsx';
import type { TranscriptItem } from './transcript-item.ts';
import { useMountedRows } from './use-mounted-rows.ts';
import { useStickToEnd, type StickToEnd } from './use-stick-to-end.ts';
import { toTranscript } from './view-model.ts';

/** The room above the first row, in pixels. */
const TOP = 16;

/** A row of the run, or what surrounds the run: its input, what its script printed, and its sum. */
type ListItem = TranscriptItem | { key: 'input' | 'console' | 'summary'; kind: 'surrounding' };

/**
 * The rows of a run, newest at the bottom. The view follows the end until the user scrolls up. A run that
 * came in a link is read from its beginning. Of a long run, only the rows in view and a few more are on the page.
 */
export function Transcript({ session }: { session: RunSession }) {
  const moment = useInspection((state) => state.moment);
  const drawn = useOneByOne(moment);
  // a run that goes on is drawn at once
  const shown = useRunAt(session, moment === undefined ? undefined : drawn);
  return <TranscriptRows session={session} shown={shown} />;
}

type TranscriptRowsProps = { session: RunSession; shown: ShownRun };

/** The rows of a run at a moment. */
const TranscriptRows = memo(function TranscriptRows({ session, shown }: TranscriptRowsProps) {
  const input = inputOf(session);
  const items = toTranscript(shown.state, shown.earlier, !shown.isPast);
  const rows: readonly ListItem[] = [
    ...(input === undefined ? [] : [surrounding('input')]),
    ...items,
    ...('script' in session.source ? [surrounding('console')] : []),
    ...(shown.isPast ? [] : [surrounding('summary')]),
  ];
  const scroller = useRef<HTMLDivElement>(null);
  const virtualizer = useRef<VirtualizerHandle>(null);
  const stick = useStickToEnd(scroller, !session.shared);
  const selection = useInspection((state) => state.selection);
  const before = input === undefined ? 0 : 1;
  const inItems = rowOfSelection(items, selection);
  const selected = inItems < 0 ? -1 : inItems + before;
  useRevealed({ scroller, virtualizer, stick, selected, selection: selectionKey(selection) });
  const { mounted, onTouch } = useMountedRows({
    list: scroller,
    keys: rows.map(({ key }) => key),
    selected,
    fromStart: session.shared,
    canSearch: !shown.isPast,
  });
  const draw = (item: ListItem): ReactElement => {
    if (item.kind !== 'surrounding') return <SafeRow key={item.key} item={item} session={session} />;
    if (item.key === 'input') return <InputRow key={item.key} input={input} />;
    if (item.key === 'console') return <ConsoleFold key={item.key} />;
    return <RunSummary key={item.key} session={session} state={shown.state} turn={shown.turn} />;
  };
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
        className="scroll min-h-0 flex-1"
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
              {draw}
            </Virtualizer>
          </RowCount>
        </div>
      </div>
      {!stick.isAtEnd && <ToNewest onPress={stick.stick} />}
    </div>
  );
});

const surroundings = {
  input: { key: 'input', kind: 'surrounding' },
  console: { key: 'console', kind: 'surrounding' },
  summary: { key: 'summary', kind: 'surrounding' },
} as const satisfies Record<string, ListItem>;

function surrounding(key: keyof typeof surroundings): ListItem {
  return surroundings[key];
}

function isFolded(target: EventTarget): boolean {
  return target instanceof Element && target.closest('[aria-expanded=false]') !== null;
}

/** The input of a run's first turn, which later turns keep. */
function inputOf(session: RunSession): unknown {
  const start = logOf(session, 0)[0];
  return start?.type === 'run-start' ? start.input : undefined;
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

function ToNewest({ onPress }: { onPress: () => void }) {
  return (
    <button
      type="button"
      onClick={onPress}
      className="absolute bottom-3 left-1/2 flex h-7 -translate-x-1/2 items-center gap-1.5 rounded-full floating px-3 text-sm hover:text-text-kind narrow:h-11"
    >
      <ArrowDown className="size-3.5" />
      Newest
    </button>
  );
}
