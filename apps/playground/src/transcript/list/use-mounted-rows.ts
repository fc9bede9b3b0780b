import { useEffect, useState } from 'react';
import { flushSync } from 'react-dom';
import { useDrawnCount } from '../../state/use-drawn-count.ts';
import type { ListItem } from './list-items.ts';
import { mountedRows, SEARCHED, WHOLE } from './mounted-rows.ts';
import type { TouchedRows } from './use-touched-rows.ts';

type MountedRowsOptions = {
  touched: TouchedRows;
  rows: readonly ListItem[];
  selected: number;
  fromStart: boolean;
  /** False while rows come and go with a moment of the past. */
  canSearch: boolean;
};

/**
 * Which rows of a long list stay on the page when they are out of view: what the user has unfolded, focused, marked or
 * selected, and all while the browser's search is in use or the page is printed.
 */
export function useMountedRows({
  touched,
  rows,
  selected,
  fromStart,
  canSearch,
}: MountedRowsOptions): number[] {
  const printing = usePrinting();
  const most = useSearching() && canSearch ? SEARCHED : WHOLE;
  const { length } = rows;
  const drawn = useDrawnCount(length <= most ? length : 0, most);
  const { marked } = touched;
  return mountedRows({
    length,
    drawn: printing ? length : drawn,
    fromStart,
    touched: touched.among(rows),
    marked,
    selected,
  });
}

/** True while the browser prints the page. */
function usePrinting(): boolean {
  const [printing, setPrinting] = useState(false);
  useEffect(() => {
    // the browser prints what is on the page when the listeners return
    const before = (): void => flushSync(() => setPrinting(true));
    const after = (): void => setPrinting(false);
    addEventListener('beforeprint', before);
    addEventListener('afterprint', after);
    return () => {
      removeEventListener('beforeprint', before);
      removeEventListener('afterprint', after);
    };
  }, []);
  return printing;
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
