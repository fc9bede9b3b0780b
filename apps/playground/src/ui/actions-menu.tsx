import { Ellipsis } from 'lucide-react';
import { DropdownMenu } from 'radix-ui';
import type { ReactNode, RefObject } from 'react';
import { Button } from './button.tsx';
import { menuContent } from './menu.ts';

type ActionsMenuProps = {
  label: string;
  /** A class for the width of the menu, such as `w-40`. */
  width: string;
  trigger?: RefObject<HTMLButtonElement | null>;
  /** False if the rest of the page stays usable while the menu is open. */
  modal?: boolean;
  className?: string | undefined;
  onCloseAutoFocus?: (event: Event) => void;
  children: ReactNode;
};

/** A button with three dots that opens a menu of actions. */
export function ActionsMenu(props: ActionsMenuProps) {
  const { label, width, trigger, modal = true, className, onCloseAutoFocus, children } = props;
  return (
    <DropdownMenu.Root modal={modal}>
      <DropdownMenu.Trigger asChild>
        <Button {...(trigger && { ref: trigger })} square aria-label={label} className={className}>
          <Ellipsis />
        </Button>
      </DropdownMenu.Trigger>
      <DropdownMenu.Portal>
        <DropdownMenu.Content
          align="end"
          sideOffset={4}
          collisionPadding={8}
          className={`${menuContent} ${width}`}
          {...(onCloseAutoFocus && { onCloseAutoFocus })}
        >
          {children}
        </DropdownMenu.Content>
      </DropdownMenu.Portal>
    </DropdownMenu.Root>
  );
}
