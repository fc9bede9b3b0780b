import { PaneHeader } from '../ui/pane-header.tsx';
import { useInspection } from '../state/inspection.ts';
import type { RunSession } from '../state/store.ts';

/** What is inside the selected step or call of a run. */
export function InspectorPane({ session }: { session: RunSession }) {
  const selection = useInspection((state) => state.selection);
  return (
    <section aria-label="Inspector" className="flex min-h-0 flex-1 flex-col bg-panel">
      <PaneHeader title="Inspector" />
      <p className="p-4 text-ink-2">
        {selection === undefined ? `Select a step or a tool call of ${session.model.name}.` : selection.kind}
      </p>
    </section>
  );
}
