import type { LucideIcon } from 'lucide-react';
import { DropdownMenu } from 'radix-ui';
import type { ComponentProps } from 'react';
import { menuItem } from './menu-style.ts';

type MenuItemProps = Omit<ComponentProps<typeof DropdownMenu.Item>, 'className'> & { Icon?: LucideIcon };

export function MenuItem({ Icon, children, ...props }: MenuItemProps) {
  return (
    <DropdownMenu.Item {...props} className={menuItem}>
      {Icon !== undefined && <Icon />}
      {children}
    </DropdownMenu.Item>
  );
}
