import { HistoryButton } from '../history/history-button.tsx';
import { ModelButton } from '../settings/model-button.tsx';
import { ThemeMenu } from '../settings/theme-menu.tsx';
import { SharePopover } from '../share/share-popover.tsx';
import { usePlayground } from '../state/store.ts';
import { CommandsButton } from './commands-button.tsx';
import { ExamplesMenu } from './examples-menu.tsx';
import { Logo } from './logo.tsx';
import { RunButton } from './run-button.tsx';
import { ViewTabs } from './view-tabs.tsx';

export function TopBar({ narrow }: { narrow: boolean }) {
  const hasExamples = usePlayground((state) => state.view === 'script');
  return (
    <header className="flex h-12 shrink-0 items-center gap-1 border-b border-line bg-panel px-3 narrow:h-14 narrow:px-2 narrow:short:h-12">
      <h1 className="mr-2 flex items-center gap-2 narrow:mr-0 narrow:pl-1.5">
        <Logo />
        {/* there is room for the model instead */}
        <span className="text-lg font-semibold tracking-tight max-[1120px]:sr-only">Cueline</span>
        <span className="sr-only">Playground</span>
      </h1>
      <span aria-hidden className="mr-1 h-4 w-px bg-line-strong narrow:hidden" />
      {!narrow && <ViewTabs narrow={false} />}
      {hasExamples && (
        <>
          <span aria-hidden className="mx-1 h-4 w-px bg-line-strong narrow:hidden" />
          <ExamplesMenu />
        </>
      )}
      <HistoryButton />
      <span className="flex-1 narrow:hidden" />
      <span className="flex min-w-0 narrow:flex-1 narrow:justify-center">
        <ModelButton />
      </span>
      <SharePopover />
      {!narrow && <CommandsButton />}
      <ThemeMenu />
      {!narrow && (
        <span className="ml-2">
          <RunButton />
        </span>
      )}
    </header>
  );
}
