import { Tabs } from 'radix-ui';
import { currentSession, usePlayground, type PlaygroundState } from '../state/store.ts';
import { panes } from './panes.tsx';
import { RunButton } from './run-button.tsx';
import { Trace } from './run-details.tsx';
import { ViewTabs } from './view-tabs.tsx';

const tab =
  'h-11 rounded-t-md px-4 text-lg focus-visible:-outline-offset-2 text-ink-2 border-b-2 border-transparent forced-colors:border-[Canvas] data-[state=active]:border-go ' +
  'data-[state=active]:text-ink data-[state=active]:font-medium';
/** Both panes stay mounted; the one behind is only hidden. */
const pane = 'flex min-h-0 flex-1 flex-col data-[state=inactive]:hidden';

/** One pane at a time, with two tabs, for a phone. */
export function NarrowLayout() {
  const session = usePlayground(currentSession);
  const shown = usePlayground(({ tab }) => (tab === 'trace' && session === undefined ? 'run' : tab));
  const { editor, result, editorTitle, resultTitle } = usePlayground((state) => panes[state.view]);
  return (
    <Tabs.Root
      value={shown}
      onValueChange={(value) => usePlayground.setState({ tab: value as PlaygroundState['tab'] })}
      className="flex min-h-0 flex-1 flex-col"
    >
      <div className="flex h-14 shrink-0 items-end justify-between border-b border-line bg-panel pr-2 short:h-12">
        <Tabs.List aria-label="Panes" className="flex">
          <Tabs.Trigger value="editor" className={tab}>
            {editorTitle}
          </Tabs.Trigger>
          <Tabs.Trigger value="run" className={tab}>
            {resultTitle}
          </Tabs.Trigger>
          {session !== undefined && (
            <Tabs.Trigger value="trace" className={tab}>
              Trace
            </Tabs.Trigger>
          )}
        </Tabs.List>
        <span className="mb-1.5 short:mb-0.5">
          <RunButton />
        </span>
      </div>
      <Tabs.Content value="editor" forceMount className={pane} tabIndex={-1}>
        {editor}
      </Tabs.Content>
      <Tabs.Content value="run" forceMount className={pane} tabIndex={-1}>
        {result}
      </Tabs.Content>
      {session !== undefined && (
        <Tabs.Content value="trace" className={`${pane} short:overflow-y-auto`} tabIndex={-1}>
          <Trace key={session.id} session={session} />
        </Tabs.Content>
      )}
      <ViewTabs narrow />
    </Tabs.Root>
  );
}
