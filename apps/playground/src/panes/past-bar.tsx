import { GitFork, History } from 'lucide-react';
import { forkAt, forkProblem, stepAfter } from '../state/fork-session.ts';
import { useInspection } from '../state/inspection.ts';
import type { RunSession } from '../state/store.ts';
import { Button } from '../ui/button.tsx';
import { ShownTime } from './shown-time.tsx';

type PastBarProps = {
  session: RunSession | undefined;
  turn: number;
  /** `seq` of the last event that has happened. */
  seq: number;
  elapsed: number;
  /** True if the run waits for the user now. */
  waits: boolean;
};

/** Says that an earlier moment of the run is shown, and offers to continue from its last complete step. */
export function PastBar({ session, turn, seq, elapsed, waits }: PastBarProps) {
  const goTo = useInspection((state) => state.goTo);
  const problem = session === undefined ? undefined : forkProblem(session);
  return (
    <div
      data-testid="past"
      className="flex shrink-0 items-center gap-2.5 border-b border-line bg-raised py-1.5 pr-2 pl-4 text-ink-2 flex-wrap"
    >
      <History className="size-4 shrink-0" />
      <p className="min-w-0 flex-1 basis-40 narrow:basis-[80%]">
        <span className="font-medium text-ink">The run as it was</span> after <ShownTime elapsed={elapsed} />.
        {waits && <span className="font-medium text-warn"> The run waits for you now.</span>}
      </p>
      {problem !== undefined && <p className="min-w-0 text-sm">{problem}</p>}
      {session !== undefined && problem === undefined && (
        <Button
          variant="outline"
          onClick={() => forkAt(session, turn, { step: stepAfter(session, turn, seq) })}
        >
          <GitFork />
          Continue from here
        </Button>
      )}
      <Button variant="outline" onClick={() => goTo(undefined)}>
        Back to now
      </Button>
    </div>
  );
}
