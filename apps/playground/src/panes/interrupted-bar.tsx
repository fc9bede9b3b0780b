import { RotateCw } from 'lucide-react';
import { continueRun } from '../state/run-session.ts';
import { Button } from '../ui/button.tsx';

/** Says that the run was interrupted because its page was closed, and offers to continue it. */
export function InterruptedBar({ hasSteps }: { hasSteps: boolean }) {
  return (
    <div
      data-testid="interrupted"
      className="flex shrink-0 items-center gap-2.5 border-b border-line bg-raised py-1.5 pr-2 pl-4 text-ink-2 flex-wrap"
    >
      <RotateCw aria-hidden className="size-4 shrink-0" />
      <p className="min-w-0 flex-1 basis-40 wrap-anywhere narrow:basis-[60%]">
        <span className="font-medium text-ink">This run was interrupted.</span>{' '}
        {hasSteps
          ? 'Its complete steps are kept. A tool call that was in progress is repeated only if the tool just reads or is idempotent.'
          : 'The model has not answered yet. Your message is sent again.'}
      </p>
      <Button variant="outline" onClick={continueRun}>
        Continue
      </Button>
    </div>
  );
}
