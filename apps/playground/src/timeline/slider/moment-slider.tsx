import { clsx } from 'clsx';
import { useEffect, useRef, type KeyboardEvent, type PointerEvent } from 'react';
import { useInspection } from '../../state/inspection.ts';
import type { RunSession } from '../../state/store.ts';
import { formatDuration } from '../../ui/format.ts';
import { playback, turnsOf, useShownTimeEffect } from '../use-playback.ts';
import { useSlide } from '../use-slide.ts';
import { useDrag } from './use-drag.ts';
import { useReadout } from './use-readout.ts';

/** The arrow keys move the slider by this part of its length, and Page Up and Page Down by ten of it. */
const KEY_STEPS = 100;

export type MomentSliderProps = {
  session: RunSession;
  turn: number;
  /** The end of the turn, in milliseconds; at least 1. */
  end: number;
  /** False before the first event. */
  enabled: boolean;
};

/**
 * A slider over a turn, and the time that is shown beside it. They change during a drag without a render. An
 * invisible native slider handles the focus and the keys; the element around it handles the pointer.
 */
export function MomentSlider({ session, turn, end, enabled }: MomentSliderProps) {
  const input = useRef<HTMLInputElement>(null);
  const label = useRef<HTMLSpanElement>(null);
  const track = useRef<HTMLSpanElement>(null);
  const range = useRef<HTMLSpanElement>(null);
  const dot = useRef<HTMLSpanElement>(null);
  const slideRange = useSlide(range);
  const slideDot = useSlide(dot);
  const showTime = useReadout((text) => {
    label.current!.textContent = text;
    // a screen reader says how far a drag has come
    input.current!.ariaValueText = `${text} of ${formatDuration(end)}`;
  });
  // without a moment, the slider is at the end of the turn
  const present = enabled ? end : 0;
  useShownTimeEffect(session, turn, (time = present) => {
    const value = Math.min(time, end);
    slideRange(value / end);
    slideDot(value / end);
    showTime(formatDuration(value));
    // the browser lays the native slider out again at each change
    if (useInspection.getState().scrub !== undefined) return;
    input.current!.valueAsNumber = value;
  });
  const seek = (to: number): void => playback.seek(turnsOf(session), turn, to);
  const drag = useInspection((state) => state.dragScrubber);
  useEffect(() => () => drag(false), [drag]);
  const { onPointerDown, ...onPointer } = useDrag({
    trackRef: track,
    readPart: () => input.current!.valueAsNumber / end,
    onDrag: drag,
    onMove: (part) => seek(part * end),
  });
  const onPress = (event: PointerEvent): void => {
    if (!enabled || event.button !== 0) return;
    // without this, the browser also sends a mouse event for each pointer event, and moves the focus away
    event.preventDefault();
    input.current!.focus({ preventScroll: true, focusVisible: false });
    onPointerDown(event);
  };
  const onKeyDown = (event: KeyboardEvent<HTMLInputElement>): void => {
    const by = keySteps[event.key];
    if (by === undefined) return;
    event.preventDefault();
    // a second key within a frame moves on from where the first one went
    const from = playback.soughtTime() ?? event.currentTarget.valueAsNumber;
    seek(Math.max(0, Math.min(end, from + (by * end) / KEY_STEPS)));
  };
  return (
    <>
      <span
        data-testid="scrubber"
        {...onPointer}
        onPointerDown={onPress}
        className="relative flex h-7 min-w-12 flex-1 touch-none items-center overflow-x-clip narrow:h-11"
      >
        <input
          ref={input}
          type="range"
          aria-label="Moment"
          min={0}
          max={end}
          step="any"
          disabled={!enabled}
          onInput={({ currentTarget }) => seek(currentTarget.valueAsNumber)}
          onKeyDown={onKeyDown}
          className="peer pointer-events-none absolute inset-0 m-0 size-full appearance-none opacity-0 contain-strict"
        />
        <span
          ref={track}
          className="pointer-events-none relative mx-2.5 h-1 flex-1 overflow-hidden rounded-full bg-line-strong forced-color-adjust-none narrow:mx-3.5"
        >
          <span ref={range} className="absolute right-full size-full bg-focus will-change-transform" />
        </span>
        {/* As wide as the track, since it moves by its own width. */}
        <span
          ref={dot}
          data-testid="scrubber-dot"
          className="pointer-events-none absolute inset-x-2.5 inset-y-0 will-change-transform after:absolute after:top-1/2 after:left-0 after:size-3.5 after:-translate-1/2 after:rounded-full after:border-2 after:border-focus after:bg-panel peer-focus-visible:after:outline-2 peer-focus-visible:after:outline-offset-1 peer-focus-visible:after:outline-focus narrow:inset-x-3.5 narrow:after:size-5"
        />
      </span>
      <span
        className={clsx('shrink-0 text-right text-ink-2 narrow:text-xs', !enabled && 'invisible')}
        data-testid="scrubber-time"
      >
        {/* A box of its own size: the browser lays out a changed time in it alone, and not the whole page. */}
        <span
          ref={label}
          style={{ width: `${Math.max('999 ms'.length, formatDuration(end).length) + 1}ch` }}
          className="inline-block h-[1lh] align-top text-ink contain-strict"
        />{' '}
        / {formatDuration(end)}
      </span>
    </>
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
