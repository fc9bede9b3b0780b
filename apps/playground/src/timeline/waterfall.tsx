import { useCallback, useEffect, useId, useMemo, useRef, useState, type MouseEvent } from 'react';
import { Virtualizer, type VirtualizerHandle } from 'virtua';
import { useSettledMoment } from '../state/moment/use-settled-moment.ts';
import { logOf } from '../state/shown-run.ts';
import type { RunSession } from '../state/store.ts';
import { useNarrow } from '../state/theme.ts';
import { labelRoom, tickLabel, ticksOf, tickStep } from './axis.ts';
import { offsetOf } from './bars.tsx';
import { timeOf } from './moments.ts';
import { HEADER, revealRow } from './reveal-row.ts';
import type { TimelineRow } from './timeline-row.ts';
import { useFollow, type FollowOptions } from './use-follow.ts';
import { playback, turnsOf, useHasMoment, useShownTimeEffect } from './use-playback.ts';
import { useSlide } from './use-slide.ts';
import { useTree } from './use-tree.ts';
import { columns, WaterfallRow } from './waterfall-row.tsx';

/** The least distance of two ticks, in pixels; less on a phone, whose axis would have a single label. */
const TICKS = { wide: 72, narrow: 30 };

type WaterfallProps = {
  session: RunSession;
  turn: number;
  rows: readonly TimelineRow[];
  /** The end of the axis, in milliseconds. */
  end: number;
  /** True while the run is in progress. */
  live: boolean;
};

/** The steps of a turn and their parts on one time axis, as a tree for mouse and keyboard. */
export function Waterfall({ session, turn, rows: all, end, live }: WaterfallProps) {
  const scroller = useRef<HTMLDivElement>(null);
  const list = useRef<VirtualizerHandle>(null);
  const axis = useRef<HTMLDivElement>(null);
  const id = useId();
  const isNarrow = useNarrow();
  const rowHeight = isNarrow ? 44 : 26;
  const reveal = useCallback((index: number) => revealRow(scroller.current, index, rowHeight), [rowHeight]);
  const { rows, folded, active, selectedKey, toggle, select, onKeyDown } = useTree(all, reveal);
  const width = useWidth(axis);
  const step = tickStep(end, width, isNarrow ? TICKS.narrow : TICKS.wide);
  const ticks = useMemo(() => ticksOf(end, step), [end, step]);

  const onClick = (event: MouseEvent): void => {
    if (!(event.target instanceof Element) || axis.current === null) return;
    const index = event.target.closest<HTMLElement>('[data-row]')?.dataset.row;
    const row = index === undefined ? undefined : rows[Number(index)];
    const { left, right, width: pixels } = axis.current.getBoundingClientRect();
    const isOnAxis = event.clientX >= left - 8 && event.clientX <= right + 8;
    if (isOnAxis) {
      const part = Math.max(0, Math.min(1, (event.clientX - left) / pixels));
      playback.seek(turnsOf(session), turn, part * end);
    } else if (row?.hasChildren && event.target.closest('[data-fold]') !== null) toggle(row.key);
    else if (row !== undefined) select(row);
  };

  return (
    // the keys are those of a treegrid, and the mouse does the same
    <div
      ref={scroller}
      role="treegrid"
      aria-label="Steps in time"
      aria-rowcount={rows.length + 1}
      aria-colcount={3}
      aria-activedescendant={active < 0 ? undefined : rowId(id, rows[active]!)}
      tabIndex={0}
      onKeyDown={onKeyDown}
      onClick={onClick}
      className="scroll group/tree relative min-h-0 flex-1 [scrollbar-gutter:stable] focus-visible:-outline-offset-2"
    >
      <TimeHeader {...{ ticks, step, end, width }} />
      <div className="relative min-h-[calc(100%-24px)]">
        <div aria-hidden className={`${columns} pointer-events-none absolute inset-0`}>
          <div ref={axis} className="relative col-start-2 mx-2">
            {ticks.map((tick) => (
              <span
                key={tick}
                style={{ left: offsetOf(tick) }}
                className="absolute inset-y-0 w-px bg-line/70"
              />
            ))}
          </div>
        </div>
        <Virtualizer
          ref={list}
          scrollRef={scroller}
          startMargin={HEADER}
          itemSize={rowHeight}
          bufferSize={2 * rowHeight}
          keepMounted={active < 0 ? [] : [active]}
          data={rows}
        >
          {(row, index) => (
            <WaterfallRow
              key={row.key}
              row={row}
              id={rowId(id, row)}
              index={index}
              isFolded={folded.has(row.key)}
              isSelected={row.key === selectedKey}
              isActive={index === active}
              now={row.end === undefined ? end : 0}
            />
          )}
        </Virtualizer>
        <Cursor {...{ session, turn, end, live }} />
        <Follow
          {...{ session, turn, list, scroller, rows, rowHeight, live }}
          isSelected={selectedKey !== undefined}
        />
      </div>
    </div>
  );
}

type TimeHeaderProps = {
  ticks: readonly number[];
  /** The time between two ticks, in milliseconds. */
  step: number;
  end: number;
  /** The width of the axis, in pixels. */
  width: number;
};

/** The names of the columns, and the labels of the axis. */
function TimeHeader({ ticks, step, end, width }: TimeHeaderProps) {
  return (
    <div
      role="row"
      aria-rowindex={1}
      style={{ height: HEADER }}
      className={`${columns} sticky top-0 z-10 items-center border-b border-line bg-panel text-xs text-ink-3`}
    >
      <span role="columnheader" className="flex h-full items-center border-r border-line pl-3">
        Part
      </span>
      <span role="columnheader" aria-label="Time" className="h-full cursor-crosshair overflow-hidden px-2">
        <span className="relative block h-full">
          {ticks.map((tick) => (
            <span
              key={tick}
              style={{ left: offsetOf(tick) }}
              className="absolute inset-y-0 my-auto h-fit border-l border-line-strong pl-1 whitespace-nowrap"
            >
              {labelWithin(((end - tick) / end) * width, tickLabel(tick, step))}
            </span>
          ))}
        </span>
      </span>
      <span role="columnheader" className="pr-3 text-right narrow:pr-2">
        Duration
      </span>
    </div>
  );
}

/** Returns a tick's label; undefined if it needs more than this many pixels. */
function labelWithin(pixels: number, label: string): string | undefined {
  return labelRoom(label) > pixels ? undefined : label;
}

type CursorProps = { session: RunSession; turn: number; end: number; live: boolean };

/** The line at the moment that is shown; later rows are pale. */
function Cursor(props: CursorProps) {
  if (!useHasMoment(props.turn)) return null;
  return (
    <div aria-hidden className={`${columns} pointer-events-none absolute inset-0`}>
      <div className="relative col-start-2 mx-2 overflow-x-clip" data-testid="timeline-cursor">
        {/* the axis of a run in progress grows between two renders */}
        {props.live ? <GrowingLine {...props} /> : <Line {...props} />}
      </div>
    </div>
  );
}

const lineLook = 'absolute inset-0 border-l border-focus bg-panel/55 will-change-transform';

function Line({ session, turn, end }: CursorProps) {
  const line = useRef<HTMLSpanElement>(null);
  const slide = useSlide(line);
  useShownTimeEffect(session, turn, (time = end) => slide(time / end));
  return <span ref={line} className={lineLook} />;
}

function GrowingLine({ session, turn }: CursorProps) {
  const line = useRef<HTMLSpanElement>(null);
  useShownTimeEffect(session, turn, (time) => {
    if (time !== undefined) line.current!.style.transform = `translateX(${offsetOf(time)})`;
  });
  return <span ref={line} className={lineLook} />;
}

/** The id of a row's element, without spaces: attributes that refer to ids separate them by spaces. */
function rowId(id: string, { key }: TimelineRow): string {
  return `${id}-${key.replaceAll(/\s+/g, '_')}`;
}

type FollowProps = Omit<FollowOptions, 'time'> & { session: RunSession; turn: number };

/** A separate component, because the moment changes often. */
function Follow({ session, turn, ...options }: FollowProps) {
  const moment = useSettledMoment((state) => state.moment);
  useFollow({
    ...options,
    time: moment?.turn === turn ? timeOf(logOf(session, turn), moment.seq) : undefined,
  });
  return null;
}

function useWidth(element: { readonly current: HTMLElement | null }): number {
  const [width, setWidth] = useState(600);
  useEffect(() => {
    if (element.current === null) return undefined;
    const observer = new ResizeObserver(([entry]) => setWidth(entry?.contentRect.width ?? 600));
    observer.observe(element.current);
    return () => observer.disconnect();
  }, [element]);
  return width;
}
