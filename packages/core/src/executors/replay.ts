import { callAll } from '../base/call-all.ts';
import { checkNames } from '../base/check-names.ts';
import { CuelineError } from '../base/errors.ts';
import { MAX_TIMER_MS } from '../base/timer.ts';
import type { RunEvent } from '../log/events.ts';
import { wholeLog } from '../log/log-queries.ts';
import { upgradeLog } from '../log/upgrade-log.ts';
import { eventTimes } from '../wire/event-times.ts';
import type { Executor } from './executor.ts';

/** The options of {@link replay}. */
export type ReplayOptions = {
  /** 1 (default) is the original speed, 2 is twice as fast, `Infinity` emits everything at once. */
  speed?: number | undefined;
  /** True to start paused: no event is emitted before `play` or `seek`. */
  paused?: boolean | undefined;
  /**
   * Longer pauses in the log, such as an approval that waited an hour, are cut to this many milliseconds. Default:
   * none is cut.
   */
  maxGapMs?: number | undefined;
  /** Milliseconds from any fixed point; default `performance.now`. */
  now?: (() => number) | undefined;
  /** Calls back after some milliseconds, and returns a function that cancels. Default `setTimeout`. */
  wait?: ((callback: () => void, ms: number) => () => void) | undefined;
};

const optionNames: Record<keyof ReplayOptions, true> = {
  speed: true,
  paused: true,
  maxGapMs: true,
  now: true,
  wait: true,
};

/** A recorded run as an {@link Executor}, with the controls of a player. They act on every start in progress. */
export type Replay = Executor & {
  readonly replays: true;
  /** Continues after a pause. */
  play(): void;
  /** Pauses before the next event. */
  pause(): void;
  /**
   * Forwards, emits everything up to and including the event `seq` at once. Backwards, emits the log again from
   * `run-start` up to there. Then continues as before. If no start is in progress, the next one begins like this.
   */
  seek(seq: number): void;
  /** @throws CuelineError `invalid_options` for a number that is not above 0 */
  setSpeed(speed: number): void;
  readonly speed: number;
  /** False while it is paused. */
  readonly playing: boolean;
  /** The `seq` of the last emitted event of the latest start; -1 before the first. */
  readonly position: number;
  /**
   * Calls `listener` when one of these has changed, and once for many events at once. Returns a function that
   * unsubscribes.
   */
  subscribe(listener: () => void): () => void;
};

/** The position of one start in the recording. */
type PlaybackPosition = {
  /** Index of the next event. */
  next: number;
  /** Events before this index are emitted at once. */
  atOnceUntil: number;
  /** The time in the recording, and the clock's time when it was noted. */
  time: number;
  notedAt: number;
  /** Wakes the start, so that it checks again. */
  wake: () => void;
};

/**
 * How long events that are emitted at once may keep the thread, in milliseconds, and how many come between two checks
 * of the clock.
 */
const SLICE_MS = 8;
const SLICE_EVENTS = 256;

/**
 * Returns an executor that emits the events of `log` again, each at its own time. A log without an end ends the
 * iteration without a `run-end`, so that the replay of a broken run is broken, too. Later changes to `log` have no
 * effect.
 * @throws CuelineError `invalid_options` if `log` does not begin with its start, or if a number makes no sense
 *
 * @example
 * const recording = replay(decodeLog(stored), { speed: 2, maxGapMs: 1_000 });
 * const run = createRun(planDay, { executor: recording });
 */
export function replay(log: readonly RunEvent[], options: ReplayOptions = {}): Replay {
  const replayed = new ReplayPlayer(log, options);
  return {
    replays: true,
    start: (_request, signal) => ({ [Symbol.asyncIterator]: () => replayed.start(signal) }),
    send: () => ({
      accepted: false,
      reason: 'This is a replay, so nothing runs that could accept commands. Start the prompt itself.',
    }),
    play: () => replayed.switchTo(() => (replayed.playing = true)),
    pause: () => replayed.switchTo(() => (replayed.playing = false)),
    setSpeed(speed) {
      const checked = checkAbove0('speed', speed);
      replayed.switchTo(() => (replayed.speed = checked));
    },
    seek(seq) {
      if (!Number.isInteger(seq)) {
        throw new CuelineError(
          'invalid_options',
          `seek(${String(seq)}) is out of range. Pass the seq of an event, 0 to ${replayed.recording.length - 1}.`,
        );
      }
      const index = Math.min(Math.max(seq, 0), replayed.recording.length - 1);
      for (const head of replayed.heads) replayed.move(head, index);
      if (replayed.heads.size > 0) return;
      replayed.seeked = index;
      replayed.position = index;
      replayed.notify();
    },
    get speed() {
      return replayed.speed;
    },
    get playing() {
      return replayed.playing;
    },
    get position() {
      return replayed.position;
    },
    subscribe(listener) {
      replayed.listeners.add(listener);
      return () => replayed.listeners.delete(listener);
    },
  };
}

/** A recording and its readers. */
class ReplayPlayer {
  readonly #now;
  readonly #wait;
  readonly recording;
  readonly #times;
  speed: number;
  playing: boolean;
  position: number = -1;
  /** The next start emits everything up to here at once. */
  seeked: number | undefined;
  readonly heads = new Set<PlaybackPosition>();
  #latest: PlaybackPosition | undefined;
  readonly listeners = new Set<() => void>();
  #notifiedPosition;

  constructor(log: readonly RunEvent[], options: ReplayOptions = {}) {
    checkNames('replay', options, Object.keys(optionNames), 'invalid_options');
    this.#now = options.now ?? (() => performance.now());
    this.#wait = options.wait ?? waitByTimer;
    this.recording = [...upgradeLog(wholeLog('replay', log))];
    this.#times = eventTimes(this.recording, checkAbove0('maxGapMs', options.maxGapMs ?? Infinity));
    this.speed = checkAbove0('speed', options.speed ?? 1);
    this.playing = options.paused !== true;
    this.#notifiedPosition = this.position;
  }

  notify(): void {
    this.#notifiedPosition = this.position;
    callAll(this.listeners, undefined);
  }

  /** Notes the times in the recording before `change` changes the passing of time. */
  switchTo(change: () => void): void {
    for (const head of this.heads) {
      // at infinite speed, events come without time passing
      head.time = Math.max(this.#timeAt(head), this.#times[head.next - 1] ?? 0);
      head.notedAt = this.#now();
    }
    change();
    for (const head of this.heads) head.wake();
    this.notify();
  }

  move(head: PlaybackPosition, index: number): void {
    if (index < head.next - 1) head.next = 0;
    head.atOnceUntil = index + 1;
    head.time = this.#times[index]!;
    head.notedAt = this.#now();
    head.wake();
  }

  start(signal: AbortSignal): AsyncIterator<RunEvent> {
    const head: PlaybackPosition = { next: 0, atOnceUntil: 0, time: 0, notedAt: this.#now(), wake: () => {} };
    let last: RunEvent | undefined;
    let closed = false;
    let rested = this.#now();
    const onAbort = (): void => head.wake();
    this.heads.add(head);
    this.#latest = head;
    this.position = -1;
    signal.addEventListener('abort', onAbort);
    if (this.seeked !== undefined) this.move(head, this.seeked);
    this.seeked = undefined;

    const close = (): void => {
      closed = true;
      this.heads.delete(head);
      signal.removeEventListener('abort', onAbort);
      if (this.#notifiedPosition !== this.position) this.notify();
    };

    function give(event: RunEvent): IteratorResult<RunEvent> {
      last = event;
      return { done: false, value: event };
    }

    const rest = (ms: number | undefined): Promise<void> => {
      if (this.#notifiedPosition !== this.position) this.notify();
      return new Promise((resolve) => {
        const cancel = ms === undefined ? undefined : this.#wait(resolve, Math.min(ms, MAX_TIMER_MS));
        head.wake = () => {
          cancel?.();
          resolve();
        };
      });
    };

    return {
      next: async () => {
        for (;;) {
          if (closed) return { done: true, value: undefined };
          if (signal.aborted) {
            // a log begins with its start, also if it was stopped before
            if (last === undefined) return give(this.recording[0]!);
            close();
            return give({ seq: last.seq + 1, t: last.t, type: 'run-end', outcome: 'stopped' });
          }
          const ms = this.#untilNext(head);
          const enough = head.next % SLICE_EVENTS === 0 && this.#now() - rested > SLICE_MS;
          if (ms !== undefined && ms <= 0 && !enough) {
            const event = this.recording[head.next]!;
            head.next += 1;
            if (head === this.#latest) this.position = event.seq;
            if (head.next === this.recording.length) close();
            return give(event);
          }
          await rest(ms);
          rested = this.#now();
        }
      },
      // by hand, because a generator queues this behind a pending `next`
      return() {
        close();
        head.wake();
        return Promise.resolve({ done: true, value: undefined });
      },
    };
  }

  #timeAt(head: PlaybackPosition): number {
    return this.playing && this.speed !== Infinity
      ? head.time + (this.#now() - head.notedAt) * this.speed
      : head.time;
  }

  /** Returns the milliseconds until the next event is due, or undefined while paused. */
  #untilNext(head: PlaybackPosition): number | undefined {
    if (head.next < head.atOnceUntil) return 0;
    if (!this.playing) return undefined;
    return this.speed === Infinity ? 0 : (this.#times[head.next]! - this.#timeAt(head)) / this.speed;
  }
}

function waitByTimer(callback: () => void, ms: number): () => void {
  const timer = setTimeout(callback, ms);
  return () => clearTimeout(timer);
}

function checkAbove0(name: string, value: number): number {
  if (typeof value === 'number' && value > 0) return value;
  throw new CuelineError(
    'invalid_options',
    `replay: ${name} is ${String(value)}. Pass a number above 0, or Infinity${name === 'speed' ? '; pause() halts' : ''}.`,
  );
}
