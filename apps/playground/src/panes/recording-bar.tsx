import { clsx } from 'clsx';
import { Play, RotateCcw } from 'lucide-react';
import { isFirstVisit, replayFirstRun } from '../state/first-run.ts';
import { closeRun, startRun } from '../state/run-session.ts';
import { compareScript, scriptNameOf, usePlayground, type RunSession } from '../state/store.ts';
import { Button } from '../ui/button.tsx';

/** Says that the run below it is a recording, and invites a first visitor to run the script in the editor. */
export function RecordingBar({ session, ended }: { session: RunSession; ended: boolean }) {
  const isSame = usePlayground((state) => compareScript(state, session) === 'same');
  const canReplay = usePlayground((state) => isFirstVisit({ ...state, session: undefined }));
  return (
    <div
      data-testid="recording"
      className="flex shrink-0 flex-wrap items-center gap-x-3 gap-y-2 border-b border-line bg-ok-soft py-2.5 pr-3 pl-4"
    >
      <p className="min-w-0 flex-1 basis-60 text-ink-2">
        <span className="font-medium text-ink">
          This is a recording of {isSame ? 'the script on this page' : `“${scriptNameOf(session)}”`}.
        </span>{' '}
        {isSame ? 'Change a line of it, and run it yourself' : 'Run the script in the editor yourself'}: no
        key needed.
      </p>
      <span className="flex items-center gap-2">
        {canReplay && (
          <Button
            variant="ghost"
            // its room is kept, so that the end of the recording moves nothing
            className={clsx(!ended && 'invisible')}
            onClick={() => {
              closeRun();
              void replayFirstRun({ again: true });
            }}
          >
            <RotateCcw />
            Play again
          </Button>
        )}
        <Button variant="primary" onClick={startRun}>
          <Play className="fill-current" />
          {isSame ? 'Run it yourself' : 'Run the script'}
        </Button>
      </span>
    </div>
  );
}
