import type { ReactNode } from 'react';
import { Group, Panel, Separator } from 'react-resizable-panels';
import { InspectorPane, loading } from '../panes/lazy-panes.tsx';
import { currentSession, usePlayground } from '../state/store.ts';
import { useRunDetails } from '../state/use-run-details.ts';
import { panes } from './panes.tsx';
import { Timeline } from './run-details.tsx';

const handle =
  'relative bg-line outline-none after:absolute data-[separator=hover]:bg-line-strong data-[separator=active]:bg-focus ' +
  // a one-pixel line in another color is easy to miss
  'before:absolute focus-visible:z-20 focus-visible:before:bg-focus ' +
  // the system's colors replace all others
  'forced-colors:bg-[CanvasText] forced-colors:focus-visible:before:bg-[Highlight]';
const column = `${handle} w-px before:inset-y-0 before:-left-px before:w-[3px] after:inset-y-0 after:-left-1 after:w-2`;
const row = `${handle} h-px before:inset-x-0 before:-top-px before:h-[3px] after:inset-x-0 after:-top-1 after:h-2`;

/**
 * The editor, the result and the inspector side by side, and the timeline below them. `toasts` appear over the
 * editor.
 */
export function WideLayout({ toasts }: { toasts: ReactNode }) {
  const view = usePlayground((state) => state.view);
  const session = usePlayground(currentSession);
  const inspected = useRunDetails(session, 'inspector');
  const docked = useRunDetails(session, 'timeline');
  // both open at once, so that the page changes once; the inspector's content follows
  const hasDetails = docked !== undefined;
  const inspects = usePlayground((state) => state.inspectorOpen) && hasDetails;
  const docks = usePlayground((state) => state.timelineOpen) && hasDetails;
  const { editor, result } = panes[view];
  return (
    <Sized orientation="vertical" ids={docks ? ['panes', 'timeline'] : ['panes']}>
      <Panel id="panes" minSize="240px" className="flex min-h-0 flex-col">
        <Sized orientation="horizontal" ids={inspects ? ['script', 'run', 'inspector'] : ['script', 'run']}>
          <Panel
            id="script"
            defaultSize={inspects ? '36%' : '52%'}
            minSize="280px"
            className="relative flex min-w-0 flex-col"
          >
            {editor}
            {toasts}
          </Panel>
          <Separator aria-label="Width of the left pane" className={column} />
          <Panel id="run" minSize="320px" className="bounded flex min-w-0 flex-col">
            {result}
          </Panel>
          {inspects && (
            <>
              <Separator aria-label="Width of the inspector" className={column} />
              <Panel
                id="inspector"
                defaultSize="28%"
                minSize="260px"
                className="bounded flex min-w-0 flex-col"
              >
                {inspected !== undefined && inspected === session ? (
                  <InspectorPane key={inspected.id} session={inspected} />
                ) : (
                  loading
                )}
              </Panel>
            </>
          )}
        </Sized>
      </Panel>
      {docks && (
        <>
          <Separator aria-label="Height of the timeline" className={row} />
          <Panel id="timeline" defaultSize="24%" minSize="96px" className="bounded flex min-h-0 flex-col">
            {docked === session ? <Timeline key={docked.id} session={docked} /> : loading}
          </Panel>
        </>
      )}
    </Sized>
  );
}

type SizedProps = {
  orientation: 'horizontal' | 'vertical';
  /** The panels that are open. */
  ids: readonly string[];
  children: ReactNode;
};

/** Panels with the sizes that they had when the same ones were open together. */
function Sized({ orientation, ids, children }: SizedProps) {
  const key = ids.join(' ');
  const layout = usePlayground((state) => state.layouts[key]);
  return (
    <Group
      orientation={orientation}
      className="min-h-0 flex-1"
      {...(layout === undefined ? {} : { defaultLayout: layout })}
      onLayoutChanged={(next) =>
        usePlayground.setState(({ layouts }) => ({ layouts: { ...layouts, [key]: next } }))
      }
    >
      {children}
    </Group>
  );
}
