import { Dialog } from 'radix-ui';
import { useRef } from 'react';
import { lazyComponent } from '../../panes/lazy-component.tsx';
import { usePlayground } from '../../state/store.ts';
import { useReturnFocus } from '../../ui/use-return-focus.ts';
import { usePaletteKey } from './use-palette-key.ts';

// loaded when the palette is first opened
const CommandList = lazyComponent(() => import('./command-list.tsx').then((it) => it.CommandList));

/** A dialog that finds commands, steps, scripts, examples and runs by their names. */
export function CommandPalette() {
  usePaletteKey();
  const open = usePlayground(({ commandsOpen }) => commandsOpen);
  const focus = useReturnFocus();
  const chosen = useRef<() => void>(undefined);
  return (
    <Dialog.Root open={open} onOpenChange={(next) => usePlayground.setState({ commandsOpen: next })}>
      <Dialog.Portal>
        <Dialog.Overlay className="fixed inset-0 z-40 animate-[fade_120ms_ease-out] bg-black/45 dark:bg-black/60" />
        <Dialog.Content
          aria-describedby={undefined}
          onOpenAutoFocus={focus.onOpenAutoFocus}
          onCloseAutoFocus={(event) => {
            focus.onCloseAutoFocus(event);
            // a command may move the focus itself
            chosen.current?.();
            chosen.current = undefined;
          }}
          className={
            'fixed top-[12vh] left-1/2 z-50 w-[min(600px,calc(100vw-32px))] -translate-x-1/2 floating rounded-xl ' +
            'animate-[fade_120ms_ease-out] overflow-hidden outline-none narrow:top-2 narrow:w-[calc(100vw-16px)]'
          }
        >
          <Dialog.Title className="sr-only">Commands</Dialog.Title>
          <CommandList
            onChoose={(run) => {
              chosen.current = run;
              usePlayground.setState({ commandsOpen: false });
            }}
          />
        </Dialog.Content>
      </Dialog.Portal>
    </Dialog.Root>
  );
}
