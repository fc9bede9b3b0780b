import { isInProgress, type RunEvent } from '@cueline/core';
import { useRun } from '@cueline/react';
import { ClipboardPlus } from 'lucide-react';
import { noRun } from '../state/shown-run.ts';
import { usePlayground } from '../state/store.ts';
import { Button } from '../ui/button.tsx';
import { toast } from '../ui/toast.ts';
import { addCaseFromRun } from './add-case.ts';
import { useEvals } from './store.ts';

/** Turns an ended run into a case of the eval: its values, with its first answer as the expected answer. */
export function RunToCase() {
  const session = usePlayground((state) => state.promptSession);
  const state = useRun(session?.run ?? noRun);
  if (session === undefined || isInProgress(state) || state.status !== 'done') return null;
  return (
    <div className="flex shrink-0 items-center gap-3 border-t border-line bg-panel px-4 py-2 narrow:px-3">
      <p className="min-w-0 flex-1 text-sm text-ink-2">Is this the answer you expect?</p>
      <Button variant="outline" onClick={() => addAsCase(session.earlier[0]?.log ?? session.run.log())}>
        <ClipboardPlus />
        Add as a case
      </Button>
    </div>
  );
}

/** Adds a run as a case, and offers to open Evals until that is open. */
function addAsCase(log: readonly RunEvent[]): void {
  const before = useEvals.getState();
  const problem = addCaseFromRun(log);
  if (problem !== undefined) {
    toast.error(problem);
    return;
  }
  const { id, settings } = useEvals.getState();
  const kept = before.isOwn && before.id !== id ? ` Your eval of ${before.settings.prompt} is kept.` : '';
  const offer = toast(`The run was added as a case to the eval of ${settings.prompt}.${kept}`, {
    action: {
      label: 'Open Evals',
      onClick: () => usePlayground.setState({ view: 'evals', tab: 'editor' }),
    },
    onAutoClose: () => stop(),
    onDismiss: () => stop(),
  });
  const stop = usePlayground.subscribe(({ view }) => {
    if (view !== 'evals') return;
    stop();
    toast.dismiss(offer);
  });
}
