import { Group, Panel, Separator } from 'react-resizable-panels';
import { usePlayground } from '../state/store.ts';
import { panes } from './panes.tsx';

/** What is edited and what comes of it, side by side. */
export function WideLayout() {
  const layout = usePlayground((state) => state.layout);
  const view = usePlayground((state) => state.view);
  const { editor, result } = panes[view];
  return (
    <Group
      orientation="horizontal"
      className="min-h-0 flex-1"
      {...(layout === undefined ? {} : { defaultLayout: layout })}
      onLayoutChanged={(next) => usePlayground.setState({ layout: next })}
    >
      <Panel id="script" defaultSize="52%" minSize="320px" className="flex min-w-0 flex-col">
        {editor}
      </Panel>
      <Separator
        aria-label="Width of the left pane"
        className={
          'group relative w-px bg-line outline-none after:absolute after:inset-y-0 after:-left-1 after:w-2 ' +
          'data-[separator=hover]:bg-line-strong data-[separator=active]:bg-focus focus-visible:bg-focus'
        }
      />
      <Panel id="run" minSize="340px" className="flex min-w-0 flex-col">
        {result}
      </Panel>
    </Group>
  );
}
