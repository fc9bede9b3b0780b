import { Play, RotateCcw } from 'lucide-react';
import { replayFirstRun } from '../state/first-run.ts';
import { closeRun, startRun } from '../state/run-session.ts';
import { Button } from '../ui/button.tsx';

/** Says that the run below it is a recording, and invites a first visitor to run the script. */
export function RecordingBar({ ended }: { ended: boolean }) {
  return (
    <div
      data-testid="recording"
      className="flex shrink-0 flex-wrap items-center gap-x-3 gap-y-2 border-b border-line bg-ok-soft py-2.5 pr-3 pl-4"
    >
      <p className="min-w-0 flex-1 basis-60 text-ink-2">
        <span className="font-medium text-ink">This is a recording of the script on this page.</span> Change a
        line of it, and run it yourself: no key needed.
      </p>
      <span className="flex items-center gap-2">
        {ended && (
          <Button
            look="ghost"
            onClick={() => {
              closeRun();
              void replayFirstRun({ again: true });
            }}
          >
            <RotateCcw />
            Again
          </Button>
        )}
        <Button look="primary" onClick={startRun}>
          <Play className="fill-current" />
          Run it yourself
        </Button>
      </span>
    </div>
  );
}
