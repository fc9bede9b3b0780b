import { CuelineError } from '../base/errors.ts';
import { callAll } from '../log/call-all.ts';
import type { RunEvent } from '../log/events.ts';
import type { Executor } from './executor.ts';
import { assertValidLog, eventTimes } from '../wire/recording.ts';

export type ReplayOptions = {
  /** 1 (default) is as fast as it happened, 2 twice as fast, `Infinity` all at once. */
  speed?: number | undefined;
  /** Begins halted: nothing is given before `play` or `seek`. */
  paused?: boolean | undefined;
  /** A longer silence in the log, such as an approval that waited an hour, is cut to this many ms; default: none is. */
  maxGapMs?: number | undefined;
  /** Milliseconds from any fixed point; default `performance.now`. */
  now?: (() => number) | undefined;
  /** Calls back after so many milliseconds, and returns the way to cancel; default `setTimeout`. */
  wait?: ((callback: () => void, ms: number) => () => void) | undefined;
};

/** A run that happened before, as an {@link Executor} with the keys of a player. They act on every start under way. */
export type Replay = Executor & {
  readonly replays: true;
  /** Goes on from where it was halted. */
  play(): void;
  /** Halts before the next event. */
  pause(): void;
  /**
   * Forwards: gives everything up to and including the event `seq` at once. Backwards: gives the log again, from
   * `run-start` up to there. Then it goes on as before. Where no start is under way, the next one begins like this.
   */
  seek(seq: number): void;
  /** @throws CuelineError `invalid_options` for what is not above 0 */
  setSpeed(speed: number): void;
  readonly speed: number;
  /** False while it is halted. */
  readonly playing: boolean;
  /** The `seq` of the event that was given last, in the latest start; -1 before the first. */
  readonly position: number;
  /** Calls `listener` when one of these has changed; of many events at once, once. Returns the way to unsubscribe. */
  subscribe(listener: () => void): () => void;
};

/** Where one start is on the tape. */
type Head = {
  /** Index of the event to give next. */
  next: number;
  /** What stands before this index is given at once. */
  atOnceUntil: number;
  /** The time on the tape, and the clock's when it was noted. */
  time: number;
  notedAt: number;
  /** Ends its waiting, to look again. */
  wake: () => void;
};

/** Timers with a longer delay fire at once. */
const MAX_WAIT_MS = 2 ** 31 - 1;
/** How long events that come at once may keep the thread, in ms, and how many come between two looks at the clock. */
const SLICE_MS = 8;
const SLICE_EVENTS = 256;

/**
 * An executor that gives the events of `log` again, each at its own time. A log that breaks off ends the iteration
 * without a `run-end`, so that the replay of a broken run shows one. Later changes to `log` are not seen.
 * @throws CuelineError `invalid_options` where `log` is no log from its start, or a number makes no sense
 *
 * @example
 * const tape = replay(decodeLog(stored), { speed: 2, maxGapMs: 1_000 });
 * const run = createRun(planDay, { executor: tape });
 */
export function replay(log: readonly RunEvent[], options: ReplayOptions = {}): Replay {
  const { now = () => performance.now(), wait = waitByTimer } = options;
  const tape = assertValidLog(log);
  const times = eventTimes(tape, checkAbove0('maxGapMs', options.maxGapMs ?? Infinity));
  let speed = checkAbove0('speed', options.speed ?? 1);
  let playing = options.paused !== true;
  let position = -1;
  /** Up to where the next start gives everything at once. */
  let seeked: number | undefined;
  const heads = new Set<Head>();
  let latest: Head | undefined;
  const listeners = new Set<() => void>();
  let told = position;

  function tell(): void {
    told = position;
    callAll(listeners, undefined);
  }

  /** Notes the times on the tape before `change` makes time go differently. */
  function switchTo(change: () => void): void {
    for (const head of heads) {
      // at once, events come without any time going by
      head.time = Math.max(timeAt(head), times[head.next - 1] ?? 0);
      head.notedAt = now();
    }
    change();
    for (const head of heads) head.wake();
    tell();
  }

  function timeAt(head: Head): number {
    return playing && speed !== Infinity ? head.time + (now() - head.notedAt) * speed : head.time;
  }

  /** Milliseconds until the next event is due; undefined while it is halted. */
  function untilNext(head: Head): number | undefined {
    if (head.next < head.atOnceUntil) return 0;
    if (!playing) return undefined;
    return speed === Infinity ? 0 : (times[head.next]! - timeAt(head)) / speed;
  }

  function move(head: Head, index: number): void {
    if (index < head.next - 1) head.next = 0;
    head.atOnceUntil = index + 1;
    head.time = times[index]!;
    head.notedAt = now();
    head.wake();
  }

  function start(signal: AbortSignal): AsyncIterator<RunEvent> {
    const head: Head = { next: 0, atOnceUntil: 0, time: 0, notedAt: now(), wake: () => {} };
    let last: RunEvent | undefined;
    let closed = false;
    let rested = now();
    const onAbort = (): void => head.wake();
    heads.add(head);
    latest = head;
    position = -1;
    signal.addEventListener('abort', onAbort);
    if (seeked !== undefined) move(head, seeked);
    seeked = undefined;

    function close(): void {
      closed = true;
      heads.delete(head);
      signal.removeEventListener('abort', onAbort);
      if (told !== position) tell();
    }

    function give(event: RunEvent): IteratorResult<RunEvent> {
      last = event;
      return { done: false, value: event };
    }

    function rest(ms: number | undefined): Promise<void> {
      if (told !== position) tell();
      return new Promise((resolve) => {
        const cancel = ms === undefined ? undefined : wait(resolve, Math.min(ms, MAX_WAIT_MS));
        head.wake = () => {
          cancel?.();
          resolve();
        };
      });
    }

    return {
      async next() {
        for (;;) {
          if (closed) return { done: true, value: undefined };
          if (signal.aborted) {
            // a log begins with its start, also where it was stopped before
            if (last === undefined) return give(tape[0]!);
            close();
            return give({ seq: last.seq + 1, t: last.t, type: 'run-end', outcome: 'stopped' });
          }
          const ms = untilNext(head);
          const enough = head.next % SLICE_EVENTS === 0 && now() - rested > SLICE_MS;
          if (ms !== undefined && ms <= 0 && !enough) {
            const event = tape[head.next]!;
            head.next += 1;
            if (head === latest) position = event.seq;
            if (head.next === tape.length) close();
            return give(event);
          }
          await rest(ms);
          rested = now();
        }
      },
      // by hand and not as a generator, because a generator queues this behind a `next` that waits
      return() {
        close();
        head.wake();
        return Promise.resolve({ done: true, value: undefined });
      },
    };
  }

  return {
    replays: true,
    start: (_request, signal) => ({ [Symbol.asyncIterator]: () => start(signal) }),
    send: () => ({
      accepted: false,
      reason:
        'This is a replay: it shows what happened, and nothing runs that could be told. Start the prompt itself.',
    }),
    play: () => switchTo(() => (playing = true)),
    pause: () => switchTo(() => (playing = false)),
    setSpeed(given) {
      const checked = checkAbove0('speed', given);
      switchTo(() => (speed = checked));
    },
    seek(seq) {
      if (!Number.isInteger(seq)) {
        throw new CuelineError(
          'invalid_options',
          `seek(${String(seq)}): it takes the seq of an event, 0 to ${tape.length - 1}.`,
        );
      }
      const index = Math.min(Math.max(seq, 0), tape.length - 1);
      for (const head of heads) move(head, index);
      if (heads.size > 0) return;
      seeked = index;
      position = index;
      tell();
    },
    get speed() {
      return speed;
    },
    get playing() {
      return playing;
    },
    get position() {
      return position;
    },
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

function waitByTimer(callback: () => void, ms: number): () => void {
  const timer = setTimeout(callback, ms);
  return () => clearTimeout(timer);
}

function checkAbove0(name: string, value: number): number {
  if (typeof value === 'number' && value > 0) return value;
  throw new CuelineError(
    'invalid_options',
    `replay: ${name} is ${String(value)}. It takes a number above 0, or Infinity${name === 'speed' ? '; pause() halts' : ''}.`,
  );
}
