import { Tooltip } from 'radix-ui';
import type { ReactNode } from 'react';
import { Button, type ButtonProps } from './button.tsx';

/** A tooltip for a control that shows only an icon, for pointer and keyboard. */
export function Tip({ text, children }: { text: ReactNode; children: ReactNode }) {
  return (
    <Tooltip.Root>
      <Tooltip.Trigger asChild>{children}</Tooltip.Trigger>
      <Tooltip.Portal>
        <Tooltip.Content
          sideOffset={6}
          collisionPadding={8}
          className="z-50 flex items-center gap-2 rounded-md bg-ink px-2 py-1 text-sm text-panel shadow-lg"
        >
          {text}
        </Tooltip.Content>
      </Tooltip.Portal>
    </Tooltip.Root>
  );
}

/** A button that is only an icon: its tooltip has its name. */
export function IconButton({
  label,
  ...props
}: Omit<ButtonProps, 'square' | 'aria-label'> & { label: string }) {
  return (
    <Tip text={label}>
      <Button square aria-label={label} {...props} />
    </Tip>
  );
}
