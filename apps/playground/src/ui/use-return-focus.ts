import { useRef } from 'react';

/**
 * The focus of a dialog that has no trigger of its own: what had it when the dialog opened gets it back. Put the two
 * handlers on the dialog's content.
 */
export function useReturnFocus(): { onOpenAutoFocus: () => void; onCloseAutoFocus: (event: Event) => void } {
  const opener = useRef<Element | null>(null);
  return {
    onOpenAutoFocus: () => {
      opener.current = document.activeElement;
    },
    onCloseAutoFocus: (event) => {
      // Radix would give the focus to a trigger, and there is none.
      event.preventDefault();
      if (opener.current instanceof HTMLElement) opener.current.focus();
    },
  };
}
