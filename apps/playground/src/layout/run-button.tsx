import { Play, Square } from 'lucide-react';
import { Button } from '../ui/button.tsx';
import { Keys } from '../ui/keys.tsx';
import { start, stop } from './start-and-stop.ts';
import { usePlayground } from '../state/store.ts';
import { useRunning } from '../state/use-running.ts';

/** The Run button, which is Stop during a run. The recording of a first visit is no run of the user's. */
export function RunButton() {
  const replays = usePlayground(({ view, session }) => view === 'script' && session?.recorded === true);
  const running = useRunning() && !replays;
  return running ? (
    <Button look="danger" onClick={stop} className="w-[104px] narrow:w-24" data-testid="stop-button">
      <Square className="fill-current" />
      Stop
      <Keys keys={['Esc']} className="narrow:hidden" />
    </Button>
  ) : (
    <Button look="primary" onClick={start} className="w-[104px] narrow:w-24" data-testid="run-button">
      <Play className="fill-current" />
      Run
      <Keys keys={['Mod', '↵']} className="narrow:hidden" />
    </Button>
  );
}
