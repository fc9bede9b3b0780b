import { useEffect, useState, type RefObject, type SyntheticEvent } from 'react';
import { useGradual } from '../state/use-gradual.ts';
import { mountedRows, SEARCHED, WHOLE } from './mounted-rows.ts';

/** How many rows that the user has touched stay on the page. */
const MOST_TOUCHED = 100;
/** How many rows with selected text stay on the page. */
const MOST_MARKED = 500;

type MountedRowsOptions = {
  list: RefObject<HTMLElement | null>;
  /** The keys of all rows. */
  keys: readonly string[];
  selected: number;
  fromStart: boolean;
  /** False while rows come and go with a moment of the past. */
  canSearch: boolean;
};

/** The rows that stay on the page out of view, and what notes that the user touched a row. */
export type MountedRows = { mounted: number[]; onTouch(event: SyntheticEvent): void };

/**
 * Which rows of a long list stay on the page when they are out of view: what the user has unfolded, focused, marked or
 * selected, and all while the browser's search is in use.
 */
export function useMountedRows(options: MountedRowsOptions): MountedRows {
  const { list, keys, selected, fromStart, canSearch } = options;
  const [touchedKeys, setTouched] = useState<readonly string[]>([]);
  const marked = useMarked(list);
  const most = useSearching() && canSearch ? SEARCHED : WHOLE;
  const { length } = keys;
  const drawn = useGradual(length <= most ? length : 0, most);
  const touched = touchedKeys.flatMap((key) => keys.indexOf(key));
  return {
    mounted: mountedRows({ length, drawn, fromStart, touched, marked, selected }),
    onTouch({ target }) {
      const key = keys[indexOf(target as Node)];
      if (key === undefined || touchedKeys.at(-1) === key) return;
      setTouched([...touchedKeys.filter((other) => other !== key), key].slice(-MOST_TOUCHED));
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
      setMarked(first < 0 || last - first > MOST_MARKED ? undefined : `${first} ${last}`);
    };
    document.addEventListener('selectionchange', onChange);
    return () => document.removeEventListener('selectionchange', onChange);
  }, [list]);
  if (marked === undefined) return undefined;
  const [first, last] = marked.split(' ').map(Number);
  return [first!, last!];
}

/** True from the keys that open the browser's search until Escape. */
function useSearching(): boolean {
  const [searching, setSearching] = useState(false);
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      const { key, ctrlKey, metaKey, defaultPrevented } = event;
      if (key === 'Escape') setSearching(false);
      else if ((ctrlKey || metaKey) && key.toLowerCase() === 'f' && !defaultPrevented) setSearching(true);
    };
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  }, []);
  return searching;
}

/** The index of the row that a node is in; -1 outside of all. */
function indexOf(node: Node): number {
  const element = node instanceof Element ? node : node.parentElement;
  const row = element?.closest('[data-transcript-row]');
  return row instanceof HTMLElement ? Number(row.dataset['transcriptRow']) : -1;
}
