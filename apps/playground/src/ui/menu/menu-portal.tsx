import { DropdownMenu } from 'radix-ui';
import { useCallback, useState, type ReactNode } from 'react';

/**
 * Puts a menu over the page, into the dialog or the main part in which its trigger is: at the end of the page it
 * would be in no landmark, and hidden from screen readers while a dialog is open.
 */
export function MenuPortal({ children }: { children: ReactNode }) {
  const [container, setContainer] = useState<Element | null>(null);
  const find = useCallback(
    (at: HTMLElement | null) => setContainer(at?.closest('[role=dialog], main') ?? null),
    [],
  );
  return (
    <>
      <span ref={find} hidden />
      <DropdownMenu.Portal container={container}>{children}</DropdownMenu.Portal>
    </>
  );
}
