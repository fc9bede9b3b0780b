import { Ellipsis } from 'lucide-react';
import { DropdownMenu } from 'radix-ui';
import type { ReactNode, RefObject } from 'react';
import { Button } from '../button.tsx';
import { MenuPortal } from './menu-portal.tsx';
import { menuContent } from './menu-style.ts';

type ActionsMenuProps = {
  label: string;
  /** A class for the width of the menu, such as `w-40`. */
  width: string;
  trigger?: RefObject<HTMLButtonElement | null>;
  className?: string | undefined;
  onCloseAutoFocus?: (event: Event) => void;
  children: ReactNode;
};

/** A button with three dots that opens a menu of actions. */
export function ActionsMenu(props: ActionsMenuProps) {
  const { label, width, trigger, className, onCloseAutoFocus, children } = props;
  return (
    <DropdownMenu.Root modal={false}>
      <DropdownMenu.Trigger asChild>
        <Button {...(trigger && { ref: trigger })} square aria-label={label} className={className}>
          <Ellipsis />
        </Button>
      </DropdownMenu.Trigger>
      <MenuPortal>
        <DropdownMenu.Content
          align="end"
          sideOffset={4}
          collisionPadding={8}
          className={`${menuContent} ${width}`}
          {...(onCloseAutoFocus && { onCloseAutoFocus })}
        >
          {children}
        </DropdownMenu.Content>
      </MenuPortal>
    </DropdownMenu.Root>
  );
}
