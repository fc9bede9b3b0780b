import type { RunEvent } from '@cueline/core';
import { createStore, type StoreApi } from 'zustand/vanilla';
import type { Inspection, Moment } from '../state/inspection.ts';
import type { Span } from '../transcript/run-times.ts';
import { advance, longWaits, waitAt } from './long-waits.ts';
import { seqAt, timeOf } from './moments.ts';

/** How many times faster than the run itself. */
export const speeds = [1, 2, 4, 8] as const;
export type Speed = (typeof speeds)[number];

/** The turns that are played: their logs, and how many there are. */
export type PlayedTurns = { count(): number; log(turn: number): readonly RunEvent[] };

/** What the playback shows and changes, and its clock. */
export type PlaybackOptions = {
  /** Milliseconds from any fixed point. */
  now(): number;
  /** Calls back at the next frame. Returns a function that cancels this. */
  nextFrame(callback: () => void): () => void;
  /** The same for the next moment of a run that plays; default `nextFrame`. */
  nextMoment?(callback: () => void): () => void;
  getShown(): Pick<Inspection, 'moment' | 'time'>;
  goTo(moment: Moment | undefined, time?: number): void;
};

/** What the scrubber shows. */
export type PlaybackState = {
  playing: boolean;
  speed: Speed;
  /** The wait for an answer that is being shortened. */
  wait: Span | undefined;
};

/** Plays a run's turns again, and goes to any of their times. */
export type Playback = StoreApi<PlaybackState> & {
  /** Plays from the moment that is shown; from the start of `turn` if that is now. */
  play(turns: PlayedTurns, turn: number): void;
  pause(): void;
  setSpeed(speed: Speed): void;
  /** Shows a time of a turn at the next frame; after the end of the last one, the run as it is now. */
  seek(turns: PlayedTurns, turn: number, time: number): void;
  /** The time that the next frame shows; undefined without one. */
  soughtTime(): number | undefined;
};

/** Creates a playback. It shows at most one moment per frame. */
export function createPlayback(options: PlaybackOptions): Playback {
  const { now, nextFrame, nextMoment = nextFrame, getShown, goTo } = options;
  const store = createStore<PlaybackState>()(() => ({
    playing: false,
    speed: 1,
    wait: undefined,
  }));
  let cancelFrame: (() => void) | undefined;
  let cancelSeek: (() => void) | undefined;
  let sought: number | undefined;
  let played: { turns: PlayedTurns; turn: number; time: number; waits: readonly Span[] } | undefined;
  let last = 0;
  /** The moment that this playback has shown last. */
  let shown: Moment | undefined;

  /** Shows a time. Returns false at the end of the last turn, where the run is shown as it is now. */
  function show(turns: PlayedTurns, turn: number, time: number): boolean {
    const log = turns.log(turn);
    const seq = seqAt(log, time);
    if (turn >= turns.count() - 1 && seq >= log.length - 1) {
      goTo(undefined);
      return false;
    }
    const { moment } = getShown();
    // the same object, so that only the time changes
    shown = moment?.turn === turn && moment.seq === seq ? moment : { turn, seq };
    goTo(shown, time);
    return true;
  }

  function start(turns: PlayedTurns, turn: number, time: number): void {
    played = { turns, turn, time, waits: longWaits(turns.log(turn)) };
  }

  function stop(): void {
    cancelFrame?.();
    cancelFrame = played = undefined;
    store.setState({ playing: false, wait: undefined });
  }

  function frame(): void {
    cancelFrame = undefined;
    if (played === undefined) return;
    const { speed } = store.getState();
    // the page went to another moment, or shows another run
    if (getShown().moment !== shown) return stop();
    const at = now();
    const { turns, turn, waits } = played;
    played.time = advance(played.time, (at - last) * speed, waits);
    last = at;
    const log = turns.log(turn);
    if (turn < turns.count() - 1 && played.time >= timeOf(log, log.length - 1)) start(turns, turn + 1, 0);
    if (!show(turns, played.turn, played.time)) return stop();
    store.setState({ wait: waitAt(played.waits, played.time) });
    cancelFrame = nextMoment(frame);
  }

  return {
    ...store,
    play(turns, turn) {
      cancelFrame?.();
      cancelSeek?.();
      sought = undefined;
      const { moment } = getShown();
      if (moment === undefined) start(turns, turn, 0);
      else start(turns, moment.turn, shownTime(getShown(), turns.log(moment.turn))!);
      last = now();
      if (!show(turns, played!.turn, played!.time)) return stop();
      store.setState({ playing: true, wait: waitAt(played!.waits, played!.time) });
      cancelFrame = nextMoment(frame);
    },
    pause: stop,
    setSpeed: (speed) => store.setState({ speed }),
    seek(turns, turn, time) {
      cancelSeek?.();
      sought = time;
      cancelSeek = nextFrame(() => {
        cancelSeek = sought = undefined;
        const goesOn = show(turns, turn, time);
        if (played === undefined) return;
        if (goesOn) start(turns, turn, time);
        else stop();
      });
    },
    soughtTime: () => sought,
  };
}

/** The time that is shown, in milliseconds since the turn started; undefined for the present. */
export function shownTime(
  { moment, time }: Pick<Inspection, 'moment' | 'time'>,
  log: readonly RunEvent[],
): number | undefined {
  return moment === undefined ? undefined : (time ?? timeOf(log, moment.seq));
}
