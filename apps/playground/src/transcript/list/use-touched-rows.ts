import { useEffect, useState, type RefObject } from 'react';
import type { ListItem } from './list-items.ts';

/** How many rows that the user has touched stay on the page. */
const MAX_TOUCHED = 100;
/** How many rows with selected text stay on the page. */
const MAX_MARKED = 500;

/** The rows that the user has unfolded, focused or marked. */
export type TouchedRows = {
  /** Their indexes in a list. */
  among(rows: readonly ListItem[]): number[];
  /** True if one of these rows is touched. */
  isAmong(rows: readonly ListItem[]): boolean;
  /** The first and the last row with selected text. */
  marked: readonly [first: number, last: number] | undefined;
  /** Records the row that contains this node. */
  touch(rows: readonly ListItem[], node: Node): void;
};

/** Remembers which rows of a list the user has touched. */
export function useTouchedRows(list: RefObject<HTMLElement | null>): TouchedRows {
  const [keys, setKeys] = useState<readonly string[]>([]);
  const marked = useMarked(list);
  return {
    marked,
    among: (rows) => {
      const places = new Map(rows.map(({ key }, index) => [key, index]));
      return keys.flatMap((key) => places.get(key) ?? []);
    },
    isAmong: (rows) => marked !== undefined || rows.some(({ key }) => keys.includes(key)),
    touch(rows, node) {
      const key = rows[indexOf(node)]?.key;
      if (key === undefined || keys.at(-1) === key) return;
      setKeys([...keys.filter((other) => other !== key), key].slice(-MAX_TOUCHED));
    },
  };
}

/** The first and the last row with selected text. */
function useMarked(list: RefObject<HTMLElement | null>): readonly [number, number] | undefined {
  const [marked, setMarked] = useState<string>();
  useEffect(() => {
    const onChange = (): void => {
      const { anchorNode, focusNode, isCollapsed } = document.getSelection() ?? {};
      const isHere = list.current?.contains(anchorNode ?? null) && list.current.contains(focusNode ?? null);
      if (isCollapsed !== false || isHere !== true) return setMarked(undefined);
      const [one, other] = [indexOf(anchorNode!), indexOf(focusNode!)];
      const [first, last] = [Math.min(one, other), Math.max(one, other)];
      setMarked(first < 0 || last - first > MAX_MARKED ? undefined : `${first} ${last}`);
    };
    document.addEventListener('selectionchange', onChange);
    return () => document.removeEventListener('selectionchange', onChange);
  }, [list]);
  if (marked === undefined) return undefined;
  const [first, last] = marked.split(' ').map(Number);
  return [first!, last!];
}

/** The index of the row that contains a node; -1 if no row does. */
function indexOf(node: Node): number {
  const element = node instanceof Element ? node : node.parentElement;
  const row = element?.closest('[data-transcript-row]');
  return row instanceof HTMLElement ? Number(row.dataset['transcriptRow']) : -1;
}
