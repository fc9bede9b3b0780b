import { useEffect, useMemo, useRef, useState, type KeyboardEvent } from 'react';
import { selectionKey, useInspection } from '../state/inspection.ts';
import { parentOf, visibleRows, type TimelineRow } from './timeline-row.ts';

/** How many rows Page Up and Page Down move. */
const PAGE = 10;

/** The rows of a tree that are not folded away, and the row with the keyboard focus. */
export type Tree = {
  rows: readonly TimelineRow[];
  folded: ReadonlySet<string>;
  /** The position of the row with the keyboard focus; -1 without rows. */
  active: number;
  /** The row that stands for the selection. */
  selectedKey: string | undefined;
  toggle(key: string): void;
  /** Moves the keyboard focus to a row, and selects what the row stands for. */
  select(row: TimelineRow): void;
  onKeyDown(event: KeyboardEvent): void;
};

/** Folding, selection and keys of a treegrid. `reveal` scrolls to a row. */
export function useTree(all: readonly TimelineRow[], reveal: (index: number) => void): Tree {
  const [folded, setFolded] = useState<ReadonlySet<string>>(new Set());
  const [activeKey, setActiveKey] = useState<string>();
  const selected = useInspection((state) => selectionKey(state.selection));
  const rows = useMemo(() => visibleRows(all, folded), [all, folded]);
  const selectedKey = useMemo(
    () =>
      selected === ''
        ? undefined
        : all.find((row) => row.isItself && selectionKey(row.selection) === selected)?.key,
    [all, selected],
  );
  const active =
    Math.max(
      0,
      rows.findIndex(({ key }) => key === activeKey),
    ) - (rows.length === 0 ? 1 : 0);
  const latest = useRef({ all, rows, activeKey, reveal });
  useEffect(() => void (latest.current = { all, rows, activeKey, reveal }));

  // what is selected elsewhere is unfolded and scrolled to
  useEffect(() => {
    if (selectedKey === undefined) return;
    const { all: known, activeKey: from } = latest.current;
    const here = known.find(({ key }) => key === from);
    const isOwn = here !== undefined && selectionKey(here.selection) === selected;
    if (!isOwn) setActiveKey(selectedKey);
    setFolded((before) => unfoldTo(known, before, selectedKey));
  }, [selectedKey, selected]);
  useEffect(() => {
    const index = latest.current.rows.findIndex(({ key }) => key === activeKey);
    if (index >= 0) latest.current.reveal(index);
  }, [activeKey]);

  const toggle = (key: string): void =>
    setFolded((before) => {
      const after = new Set(before);
      if (!after.delete(key)) after.add(key);
      return after;
    });
  const select = (row: TimelineRow): void => {
    setActiveKey(row.key);
    if (row.selection !== undefined) useInspection.getState().select(row.selection);
  };
  const moveTo = (index: number): void => {
    const row = rows[Math.max(0, Math.min(index, rows.length - 1))];
    if (row !== undefined) setActiveKey(row.key);
  };
  const moves: Record<string, (row: TimelineRow) => void> = {
    ArrowDown: () => moveTo(active + 1),
    ArrowUp: () => moveTo(active - 1),
    PageDown: () => moveTo(active + PAGE),
    PageUp: () => moveTo(active - PAGE),
    Home: () => moveTo(0),
    End: () => moveTo(rows.length - 1),
    Enter: select,
    ArrowRight({ key, hasChildren }) {
      if (!hasChildren) return;
      if (folded.has(key)) toggle(key);
      else moveTo(active + 1);
    },
    ArrowLeft({ key, hasChildren }) {
      if (hasChildren && !folded.has(key)) toggle(key);
      else moveTo(parentOf(rows, active) ?? active);
    },
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    const row = rows[active];
    if (row === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
    const move = moves[event.key];
    if (move === undefined) return;
    event.preventDefault();
    move(row);
  };
  return { rows, folded, active, selectedKey, toggle, select, onKeyDown };
}

/** Unfolds everything above a row. */
function unfoldTo(
  rows: readonly TimelineRow[],
  folded: ReadonlySet<string>,
  key: string,
): ReadonlySet<string> {
  if (folded.size === 0) return folded;
  const after = new Set(folded);
  let above = parentOf(
    rows,
    rows.findIndex((row) => row.key === key),
  );
  while (above !== undefined) {
    after.delete(rows[above]!.key);
    above = parentOf(rows, above);
  }
  return after.size === folded.size ? folded : after;
}
