import { PaneHeader } from '../ui/pane-header.tsx';
import type { RunSession } from '../state/store.ts';
import { useShownRun } from '../state/shown-run.ts';

/** A run in time, and the scrubber. */
export function TimelineDock({ session }: { session: RunSession }) {
  const { state } = useShownRun(session);
  return (
    <section aria-label="Timeline" className="flex min-h-0 flex-1 flex-col bg-panel">
      <PaneHeader title="Timeline" />
      <p className="p-4 text-ink-2">{state.steps.length}</p>
    </section>
  );
}
