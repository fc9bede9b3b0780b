import { History } from 'lucide-react';
import { useInspection } from '../state/inspection.ts';
import { Button } from '../ui/button.tsx';
import { formatDuration } from '../ui/format.ts';

/** Says that an earlier moment of the run is shown. */
export function PastBar({ elapsed }: { elapsed: number }) {
  const goTo = useInspection((state) => state.goTo);
  return (
    <div
      data-testid="past"
      className="flex shrink-0 items-center gap-2.5 border-b border-line bg-raised py-1.5 pr-2 pl-4 text-ink-2"
    >
      <History className="size-4 shrink-0" />
      <p className="min-w-0 flex-1">
        <span className="font-medium text-ink">The run as it was</span> after {formatDuration(elapsed)}.
      </p>
      <Button look="outline" onClick={() => goTo(undefined)}>
        Back to now
      </Button>
    </div>
  );
}
