import { FastForward, Pause, Play } from 'lucide-react';
import { useInspection } from '../state/inspection.ts';
import type { RunSession } from '../state/store.ts';
import { Button } from '../ui/button.tsx';
import { formatDuration } from '../ui/format.ts';
import { Tip } from '../ui/tip.tsx';
import { MAX_WAIT_MS } from './long-waits.ts';
import { speeds } from './playback.ts';
import { MomentSlider, type MomentSliderProps } from './slider/moment-slider.tsx';
import { playback, turnsOf, usePlayback } from './use-playback.ts';

/** Shows any moment of a turn, and plays the run again. */
export function Scrubber({ session, turn, end, enabled }: MomentSliderProps) {
  const isNow = useInspection((state) => state.moment === undefined);
  const playing = usePlayback((state) => state.playing);
  const speed = usePlayback((state) => state.speed);
  const wait = usePlayback((state) => state.wait);
  return (
    // a layer of its own: for a new time, the browser draws this row again, and not the page
    <div className="flex h-10 shrink-0 items-center gap-2 border-t border-line bg-panel px-2 text-sm will-change-transform narrow:h-14 narrow:gap-1 narrow:px-1">
      <Tip text={playing ? 'Pause' : 'Play with the original timing'}>
        <Button
          square
          aria-label={playing ? 'Pause' : 'Play'}
          disabled={!enabled}
          onClick={() => togglePlaying(session, turn)}
        >
          {playing ? <Pause className="fill-current" /> : <Play className="fill-current" />}
        </Button>
      </Tip>
      <Tip text="Speed">
        <Button
          aria-label={`Speed: ×${speed}`}
          className="w-10 px-0!"
          onClick={() => playback.setSpeed(speeds[(speeds.indexOf(speed) + 1) % speeds.length]!)}
        >
          ×{speed}
        </Button>
      </Tip>
      <MomentSlider {...{ session, turn, end, enabled }} />
      {wait !== undefined && (
        <span role="status" className="flex shrink-0 items-center gap-1 text-warn">
          <FastForward className="size-3.5" />
          <span className="narrow:sr-only">
            Waited {formatDuration(wait.end - wait.start)}, shown in {formatDuration(MAX_WAIT_MS)}
          </span>
        </span>
      )}
      <Button
        variant="outline"
        // a button that is disabled when it is pressed would lose the focus
        aria-disabled={isNow}
        className="aria-disabled:opacity-50 narrow:px-2!"
        onClick={() => useInspection.getState().goTo(undefined)}
      >
        Now
      </Button>
    </div>
  );
}

/** Plays from the moment that is shown, or pauses. */
export function togglePlaying(session: RunSession, turn: number): void {
  if (playback.getState().playing) playback.pause();
  else playback.play(turnsOf(session), turn);
}
