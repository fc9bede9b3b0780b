import { Play, Square } from 'lucide-react';
import { compareScript, currentSession, scriptNameOf, usePlayground } from '../state/store.ts';
import { useOwnRunning } from '../state/use-running.ts';
import { Button } from '../ui/button.tsx';
import { Keys } from '../ui/keys.tsx';
import { startOpenView, stopOpenView } from './start-and-stop.ts';

/** The Run button, which is Stop during a run. */
export function RunButton() {
  const running = useOwnRunning();
  const other = usePlayground((state) => {
    const session = currentSession(state);
    return session && compareScript(state, session) === 'other' ? scriptNameOf(session) : undefined;
  });
  return running ? (
    <Button
      variant="danger"
      toggles
      onClick={stopOpenView}
      title={other && `Stop the run of “${other}”`}
      className="w-[104px] narrow:w-24"
      data-testid="stop-button"
    >
      <Square className="fill-current" />
      Stop
      <Keys keys={['Esc']} className="narrow:hidden" />
    </Button>
  ) : (
    <Button
      variant="primary"
      toggles
      onClick={startOpenView}
      className="w-[104px] narrow:w-24"
      data-testid="run-button"
    >
      <Play className="fill-current" />
      Run
      <Keys keys={['Mod', '↵']} className="narrow:hidden" />
    </Button>
  );
}
