import { useEffect, useRef, type RefObject } from 'react';
import type { VirtualizerHandle } from 'virtua';
import { HEADER, revealRow } from './reveal-row.ts';
import type { TimelineRow } from './timeline-row.ts';

/** What is followed, and where. */
export type FollowOptions = {
  list: RefObject<VirtualizerHandle | null>;
  /**
   * The element that scrolls. While it has the focus, it follows no moment, and stays where it is when the run ends.
   */
  scroller: RefObject<HTMLElement | null>;
  rows: readonly TimelineRow[];
  rowHeight: number;
  /** The time that is shown; undefined for the present. */
  time: number | undefined;
  live: boolean;
  /** True if the user has selected one of the rows. */
  isSelected: boolean;
};

/**
 * Keeps the step at the shown time in view, or the newest row of a run that is in progress, until the user
 * scrolls up. A run that ends while it is followed is shown from its beginning.
 */
export function useFollow(options: FollowOptions): void {
  const { list, scroller, rows, rowHeight, time, live, isSelected } = options;
  const step = time === undefined ? -1 : stepAt(rows, time);
  useEffect(() => {
    if (step < 0 || document.activeElement === scroller.current || list.current === null) return undefined;
    // the list's own record of its scroll position: reading it from the scroller would lay out the whole page at each
    // moment
    const { scrollOffset: from, viewportSize } = list.current;
    const top = step * rowHeight;
    const isInView = top >= from && HEADER + top + rowHeight <= from + viewportSize;
    if (isInView) return undefined;
    // by then the page is laid out; now, this alone would cause a layout
    const frame = requestAnimationFrame(() => revealRow(scroller.current, step, rowHeight));
    return () => cancelAnimationFrame(frame);
  }, [step, rowHeight, scroller, list]);

  const count = rows.length;
  const followed = useRef(0);
  useEffect(() => {
    const view = list.current;
    const before = followed.current;
    if (!live) followed.current = 0;
    if (view === null || time !== undefined || (!live && before === 0)) return;
    const end = before === 0 ? 0 : view.getItemOffset(before - 1);
    // the row that was the newest is still in view
    const isFollowed = end <= view.scrollOffset + view.viewportSize;
    if (live) {
      followed.current = count;
      if (isFollowed) view.scrollToIndex(count - 1, { align: 'nearest' });
    } else if (isFollowed && !isSelected && document.activeElement !== scroller.current) view.scrollTo(0);
  }, [count, list, scroller, live, time, isSelected]);
}

/** The index of the step at a time; before the first step, that of the first row. */
function stepAt(rows: readonly TimelineRow[], time: number): number {
  const index = rows.findLastIndex((row) => row.kind === 'step' && row.start <= time);
  return Math.max(0, index);
}
