import { clsx } from 'clsx';
import { FastForward, Pause, Play } from 'lucide-react';
import { Slider } from 'radix-ui';
import { useEffect, useRef, type KeyboardEvent } from 'react';
import { useInspection } from '../state/inspection.ts';
import type { RunSession } from '../state/store.ts';
import { Button } from '../ui/button.tsx';
import { formatDuration } from '../ui/format.ts';
import { Tip } from '../ui/tip.tsx';
import { speeds } from './playback.ts';
import { playback, turnsOf, usePlayback, useShownTime } from './use-playback.ts';
import { useSlide } from './use-slide.ts';
import { LONGEST_WAIT } from './waits.ts';

/** The arrow keys move the slider by this part of its length, and Page Up and Page Down by ten of it. */
const KEY_STEPS = 100;

type ScrubberProps = {
  session: RunSession;
  turn: number;
  /** The end of the turn, in milliseconds; at least 1. */
  end: number;
  /** False before the first event. */
  enabled: boolean;
};

/** Shows any moment of a turn, and plays the run again. */
export function Scrubber({ session, turn, end, enabled }: ScrubberProps) {
  const time = useShownTime(session, turn);
  const isNow = useInspection((state) => state.moment === undefined);
  const { playing, speed, wait } = usePlayback((state) => state);
  // an earlier turn, shown while the page shows the run as it is now, has ended
  const value = Math.min(time ?? end, end);
  const range = useRef<HTMLSpanElement>(null);
  const thumb = useRef<HTMLSpanElement>(null);
  useSlide(range, value / end);
  useSlide(thumb, value / end);
  const seek = (to: number): void => playback.seek(turnsOf(session), turn, to);
  const drag = useInspection((state) => state.dragScrubber);
  useEffect(() => () => drag(false), [drag]);
  const onKeyDown = (event: KeyboardEvent): void => {
    const by = keySteps[event.key];
    if (by === undefined) return;
    event.preventDefault();
    // a second key within a frame moves on from where the first one went
    const from = playback.soughtTime() ?? value;
    seek(Math.max(0, Math.min(end, from + (by * end) / KEY_STEPS)));
  };
  return (
    <div className="flex h-10 shrink-0 items-center gap-2 border-t border-line bg-panel px-2 text-sm narrow:h-14 narrow:gap-1 narrow:px-1">
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
      <Slider.Root
        data-testid="scrubber"
        min={0}
        max={end}
        step={Math.max(end / 10_000, 0.01)}
        value={[value]}
        disabled={!enabled}
        onValueChange={([to]) => seek(to ?? 0)}
        onPointerDown={({ button }) => drag(enabled && button === 0)}
        onPointerUp={() => drag(false)}
        onPointerCancel={() => drag(false)}
        onLostPointerCapture={() => drag(false)}
        onKeyDown={onKeyDown}
        className="relative flex h-7 min-w-12 flex-1 touch-none items-center overflow-x-clip select-none *:last:inset-x-2.5! *:last:inset-y-0! *:last:transform-none! narrow:h-11 narrow:*:last:inset-x-3.5!"
      >
        <Slider.Track className="relative mx-2.5 h-1 flex-1 overflow-hidden rounded-full bg-line-strong forced-color-adjust-none narrow:mx-3.5">
          <span ref={range} className="absolute right-full size-full bg-focus will-change-transform" />
        </Slider.Track>
        {/* As wide as the track, since it moves by its own width. Only the dot can be pressed. */}
        <Slider.Thumb
          ref={thumb}
          aria-label="Moment"
          aria-valuetext={`${formatDuration(value)} of ${formatDuration(end)}`}
          className={clsx(
            'pointer-events-none relative block h-full outline-none will-change-transform',
            'after:pointer-events-auto after:absolute after:top-1/2 after:left-0 after:size-3.5 after:-translate-1/2 after:rounded-full after:border-2 after:border-focus after:bg-panel narrow:after:size-5',
            'focus-visible:after:outline-2 focus-visible:after:outline-offset-1 focus-visible:after:outline-focus',
          )}
        />
      </Slider.Root>
      <span className="shrink-0 text-right text-ink-2 narrow:text-xs" data-testid="scrubber-time">
        {/* A box of its own size: the browser lays out a changed time in it alone, and not the whole page. */}
        <span
          style={{ width: `${Math.max('999 ms'.length, formatDuration(end).length) + 1}ch` }}
          className="inline-block h-[1lh] align-top text-ink contain-strict"
        >
          {formatDuration(value)}
        </span>{' '}
        / {formatDuration(end)}
      </span>
      {wait !== undefined && (
        <span role="status" className="flex shrink-0 items-center gap-1 text-warn">
          <FastForward className="size-3.5" />
          <span className="narrow:sr-only">
            Waited {formatDuration(wait.end - wait.start)}, shown in {formatDuration(LONGEST_WAIT)}
          </span>
        </span>
      )}
      <Button
        look="outline"
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

const keySteps: Readonly<Record<string, number>> = {
  ArrowLeft: -1,
  ArrowDown: -1,
  ArrowRight: 1,
  ArrowUp: 1,
  PageDown: -10,
  PageUp: 10,
  Home: -Infinity,
  End: Infinity,
};

/** Plays from the moment that is shown, or pauses. */
export function togglePlaying(session: RunSession, turn: number): void {
  if (playback.getState().playing) playback.pause();
  else playback.play(turnsOf(session), turn);
}
