import { useEffect, type RefObject } from 'react';
import { useInspection, useIsSelected, type Selection } from '../state/inspection.ts';

/**
 * Makes a row selectable; without a `selection` it cannot be selected. Its element is scrolled into view when it is
 * selected elsewhere.
 */
export function useSelectable(
  element: RefObject<HTMLElement | null>,
  selection: Selection | undefined,
): { isSelected: boolean; select(): void } {
  const isSelected = useIsSelected(selection);
  useEffect(() => {
    if (isSelected) element.current?.scrollIntoView({ block: 'nearest' });
  }, [isSelected, element]);
  return {
    isSelected,
    select: () => selection !== undefined && useInspection.getState().select(selection),
  };
}
