import { Tabs } from 'radix-ui';
import { EditorPane } from '../editor/editor-pane.tsx';
import { usePlayground, type PlaygroundState } from '../state/store.ts';
import { RunPane } from './run-pane.tsx';
import { RunButton } from './run-button.tsx';

const tab =
  'h-11 rounded-t-md px-4 text-lg focus-visible:-outline-offset-2 text-ink-2 border-b-2 border-transparent data-[state=active]:border-go ' +
  'data-[state=active]:text-ink data-[state=active]:font-medium';
/** Both panes stay mounted; the one behind is only hidden. */
const pane = 'flex min-h-0 flex-1 flex-col data-[state=inactive]:hidden';

/** One pane at a time, with two tabs, for a phone. */
export function NarrowLayout() {
  const shown = usePlayground((state) => state.tab);
  return (
    <Tabs.Root
      value={shown}
      onValueChange={(value) => usePlayground.setState({ tab: value as PlaygroundState['tab'] })}
      className="flex min-h-0 flex-1 flex-col"
    >
      <div className="flex h-14 shrink-0 items-end justify-between border-b border-line bg-panel pr-2">
        <Tabs.List aria-label="Panes" className="flex">
          <Tabs.Trigger value="script" className={tab}>
            Script
          </Tabs.Trigger>
          <Tabs.Trigger value="run" className={tab}>
            Run
          </Tabs.Trigger>
        </Tabs.List>
        <span className="mb-1.5">
          <RunButton />
        </span>
      </div>
      <Tabs.Content value="script" forceMount className={pane} tabIndex={-1}>
        <EditorPane />
      </Tabs.Content>
      <Tabs.Content value="run" forceMount className={pane} tabIndex={-1}>
        <RunPane />
      </Tabs.Content>
    </Tabs.Root>
  );
}
