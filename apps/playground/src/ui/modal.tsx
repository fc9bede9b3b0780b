import { clsx } from 'clsx';
import { X } from 'lucide-react';
import { Dialog } from 'radix-ui';
import type { ReactNode } from 'react';
import { Button } from './button.tsx';
import { ErrorBoundary } from './error-boundary.tsx';
import { focusFirst } from './focus-first.ts';
import { useReturnFocus } from './use-return-focus.ts';

type ModalProps = {
  open: boolean;
  onOpenChange: (open: boolean) => void;
  title: string;
  description: ReactNode;
  /** A selector for the element that takes the focus; by default the first control. */
  focusFirst?: string;
  /** True for content that needs more room. */
  wide?: boolean;
  /** True if it has text that would be lost: a click outside does not close it then. */
  hasText?: boolean;
  children: ReactNode;
};

/** A dialog in the middle of the page; on a phone it rises from the bottom edge. */
export function Modal(props: ModalProps) {
  const {
    open,
    onOpenChange,
    title,
    description,
    focusFirst: selector,
    wide = false,
    hasText = false,
    children,
  } = props;
  const focus = useReturnFocus();
  return (
    <Dialog.Root open={open} onOpenChange={onOpenChange}>
      <Dialog.Portal>
        <Dialog.Overlay className="fixed inset-0 z-40 animate-[fade_120ms_ease-out] bg-black/45 dark:bg-black/60" />
        <Dialog.Content
          onOpenAutoFocus={(event) => {
            focus.onOpenAutoFocus();
            if (selector === undefined || !(event.target instanceof HTMLElement)) return;
            const first = event.target.querySelector<HTMLElement>(selector);
            if (first === null) return;
            event.preventDefault();
            focusFirst(first);
          }}
          onCloseAutoFocus={focus.onCloseAutoFocus}
          onInteractOutside={(event) => hasText && event.preventDefault()}
          className={clsx(
            'scroll fixed top-1/2 left-1/2 z-50 max-h-[calc(100dvh-32px)]',
            wide ? 'w-[min(820px,calc(100vw-32px))]' : 'w-[min(500px,calc(100vw-32px))]',
            '-translate-x-1/2 -translate-y-1/2 animate-[fade_140ms_ease-out] floating rounded-xl',
            'outline-none narrow:top-auto narrow:bottom-0 narrow:w-full narrow:translate-y-0 narrow:rounded-b-none',
          )}
        >
          <header className="flex items-start gap-3 px-5 pt-4 pb-3">
            <div className="min-w-0 flex-1">
              <Dialog.Title className="text-lg font-semibold">{title}</Dialog.Title>
              <Dialog.Description asChild>
                <div className="mt-0.5 text-base text-ink-2">{description}</div>
              </Dialog.Description>
            </div>
            <Dialog.Close asChild>
              <Button square aria-label="Close" className="-mr-1.5">
                <X />
              </Button>
            </Dialog.Close>
          </header>
          <ErrorBoundary>{children}</ErrorBoundary>
        </Dialog.Content>
      </Dialog.Portal>
    </Dialog.Root>
  );
}
