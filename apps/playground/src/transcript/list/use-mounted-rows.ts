import { useEffect, useState } from 'react';
import { useGradual } from '../../state/use-gradual.ts';
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
 * selected, and all while the browser's search is in use.
 */
export function useMountedRows({
  touched,
  rows,
  selected,
  fromStart,
  canSearch,
}: MountedRowsOptions): number[] {
  const most = useSearching() && canSearch ? SEARCHED : WHOLE;
  const { length } = rows;
  const drawn = useGradual(length <= most ? length : 0, most);
  const { marked } = touched;
  return mountedRows({ length, drawn, fromStart, touched: touched.among(rows), marked, selected });
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
