import { Group, Panel, Separator } from 'react-resizable-panels';
import { EditorPane } from '../editor/editor-pane.tsx';
import { usePlayground } from '../state/store.ts';
import { RunPane } from './run-pane.tsx';

/** Editor and transcript side by side. */
export function WideLayout() {
  const layout = usePlayground((state) => state.layout);
  return (
    <Group
      orientation="horizontal"
      className="min-h-0 flex-1"
      {...(layout === undefined ? {} : { defaultLayout: layout })}
      onLayoutChanged={(next) => usePlayground.setState({ layout: next })}
    >
      <Panel id="script" defaultSize="52%" minSize="320px" className="flex min-w-0 flex-col">
        <EditorPane />
      </Panel>
      <Separator
        aria-label="Width of the script pane"
        className={
          'group relative w-px bg-line outline-none after:absolute after:inset-y-0 after:-left-1 after:w-2 ' +
          'data-[separator=hover]:bg-line-strong data-[separator=active]:bg-focus focus-visible:bg-focus'
        }
      />
      <Panel id="run" minSize="340px" className="flex min-w-0 flex-col">
        <RunPane />
      </Panel>
    </Group>
  );
}
