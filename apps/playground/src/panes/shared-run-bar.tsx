import { History, X } from 'lucide-react';
import { closeRun } from '../state/run-session.ts';
import { Button } from '../ui/button.tsx';

/** Says that the run below it came from a link, or from an eval of this page. */
export function SharedRunBar({ ofEval }: { ofEval: boolean }) {
  return (
    <div
      data-testid="shared-run"
      className="flex shrink-0 items-center gap-2.5 border-b border-line bg-raised py-1.5 pr-2 pl-4 text-ink-2"
    >
      <History className="size-4 shrink-0" />
      <p className="min-w-0 flex-1 wrap-anywhere">
        <span className="font-medium text-ink">{ofEval ? 'A run of this eval.' : 'A shared run.'}</span>{' '}
        {ofEval
          ? 'The menu of a step continues it as a run of its own.'
          : 'It happened elsewhere; nothing has run on this page.'}
      </p>
      <Button square aria-label={ofEval ? 'Close this run' : 'Close the shared run'} onClick={closeRun}>
        <X />
      </Button>
    </div>
  );
}
