import { History, X } from 'lucide-react';
import { closeRun } from '../state/run-session.ts';
import { Button } from '../ui/button.tsx';

/** Says that the run below it came from a link. */
export function SharedRunBar() {
  return (
    <div
      data-testid="shared-run"
      className="flex shrink-0 items-center gap-2.5 border-b border-line bg-raised py-1.5 pr-2 pl-4 text-ink-2"
    >
      <History className="size-4 shrink-0" />
      <p className="min-w-0 flex-1 wrap-anywhere">
        <span className="font-medium text-ink">A shared run.</span> It happened elsewhere; nothing has run on
        this page.
      </p>
      <Button square aria-label="Close the shared run" onClick={closeRun}>
        <X />
      </Button>
    </div>
  );
}
