import { callAll } from '../base/call-all.ts';
import type { RunEvent, RunEventBody } from './events.ts';
import { createReducer, type Reducer } from './reduce.ts';
import { nextFrame, type Scheduler } from './schedule.ts';
import type { RunState } from './state.ts';
import { createTimeline } from './timeline.ts';

/** How long one slice of reducing a burst may keep the thread, in milliseconds. */
const SLICE_MS = 8;
/** How many events are reduced before the clock is checked again. */
const SLICE_EVENTS = 256;

/** The log of one run, with its state. */
export type RunLog = {
  /**
   * Adds an event of the run, or of one of its agents, with the current time. Does nothing once the run has ended.
   */
  append(body: RunEventBody & Pick<RunEvent, 'agent'>): void;
  /**
   * Adds an event that has its `seq` and time, as executors emit them. Does nothing once the run has ended. An event
   * whose `seq` is 0 restarts the log, as a replay that is rewound does.
   */
  push(event: RunEvent): void;
  /** Every event so far. */
  readonly events: readonly RunEvent[];
  /** True once `run-end` is in the log. */
  readonly ended: boolean;
  /** Returns the state after every event so far; the same object until the next event. */
  getState(): RunState;
  /** Returns the state after the event `seq`; before the first event if `seq` is -1. */
  at(seq: number): RunState;
  /**
   * Calls `listener` with the state at most once a frame while events come, and once after the last. A long burst is
   * reduced in slices, so a state may be an intermediate one. Returns a function that unsubscribes.
   */
  subscribe(listener: (state: RunState) => void): () => void;
  /** Calls `listener` with every event, at once. Returns a function that unsubscribes. */
  listen(listener: (event: RunEvent) => void): () => void;
  /** Returns the events after `seq` (default: all), past and future; ends after `run-end`. */
  read(afterSeq?: number): AsyncIterable<RunEvent>;
};

/** The options of {@link createRunLog}. */
export type RunLogOptions = {
  /** Milliseconds from any fixed point; default `performance.now`. */
  now?: () => number;
  /** When to notify subscribers; default once a frame. */
  schedule?: Scheduler | undefined;
  /** The first events, such as a stored log. */
  events?: readonly RunEvent[];
  /** The state after `events`, if it is known. */
  state?: RunState;
  /** Milliseconds since the first of `events`, if that is more than the time of the last. Default 0. */
  elapsed?: number;
};

/** Creates a log. It reduces only when its state is read, so an unread log costs an array push per event. */
export function createRunLog({
  now = () => performance.now(),
  schedule = nextFrame,
  events: earlier = [],
  state,
  elapsed = 0,
}: RunLogOptions = {}): RunLog {
  const events: RunEvent[] = [...earlier];
  const reducer: Reducer = createReducer(state);
  const subscribers = new Set<(state: RunState) => void>();
  const listeners = new Set<(event: RunEvent) => void>();
  let origin: number | undefined;
  let lastTime = events.at(-1)?.t ?? 0;
  let ended = events.at(-1)?.type === 'run-end';
  let reduced = state === undefined ? 0 : events.length;
  let timeline: ((seq: number) => RunState) | undefined;
  let notifiedCount = events.length;
  let isNotifying = false;
  let cancelScheduled: (() => void) | undefined;

  function push(event: RunEvent): void {
    if (ended) return;
    if (event.seq === 0 && events.length > 0) {
      events.length = reduced = notifiedCount = 0;
      timeline = undefined;
    }
    events.push(event);
    lastTime = event.t;
    if (event.type === 'run-end') ended = true;
    notifyListeners();
    scheduleNotification();
  }

  /** Calls the listeners with events in their order, also if a listener adds another event. */
  function notifyListeners(): void {
    if (isNotifying) return;
    isNotifying = true;
    while (notifiedCount < events.length && listeners.size > 0) callAll(listeners, events[notifiedCount++]!);
    notifiedCount = events.length;
    isNotifying = false;
  }

  function scheduleNotification(): void {
    if (cancelScheduled !== undefined || subscribers.size === 0) return;
    cancelScheduled = schedule(notify);
  }

  function notify(): void {
    cancelScheduled = undefined;
    const until = now() + SLICE_MS;
    while (reduced < events.length && now() < until) reduceUpTo(reduced + SLICE_EVENTS);
    if (reduced < events.length) scheduleNotification();
    callAll(subscribers, reducer.snapshot());
  }

  function reduceUpTo(end: number): void {
    const last = Math.min(end, events.length);
    while (reduced < last) reducer.apply(events[reduced++]!);
  }

  const log: RunLog = {
    events,
    get ended() {
      return ended;
    },
    append(body) {
      origin ??= now() - Math.max(lastTime, elapsed);
      // rounded to a hundredth of a millisecond, which is below the precision of clocks and keeps stored logs small
      const t = Math.max(lastTime, Math.round((now() - origin) * 100) / 100);
      // a spread at the front copies the object as a whole, which is much faster; this runs for every delta
      push({ ...body, seq: events.length, t });
    },
    push,
    getState() {
      reduceUpTo(events.length);
      return reducer.snapshot();
    },
    at: (seq) => (timeline ??= createTimeline(events))(seq),
    subscribe(listener) {
      subscribers.add(listener);
      if (reduced < events.length) scheduleNotification();
      return () => {
        subscribers.delete(listener);
        if (subscribers.size > 0) return;
        cancelScheduled?.();
        cancelScheduled = undefined;
      };
    },
    listen(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    read: (afterSeq = -1) => ({ [Symbol.asyncIterator]: () => readEvents(log, afterSeq + 1) }),
  };
  return log;
}

/** Emits the events of a log from `index` on, the past and the future ones. */
function readEvents(log: RunLog, index: number): AsyncIterator<RunEvent> {
  let done = false;
  let wake: (() => void) | undefined;
  const unlisten = log.listen(() => wake?.());
  const finish = (): IteratorResult<RunEvent> => {
    done = true;
    unlisten();
    wake?.();
    return { done: true, value: undefined };
  };
  return {
    async next() {
      for (;;) {
        if (done) return finish();
        if (index < log.events.length) return { done: false, value: log.events[index++]! };
        if (log.ended) return finish();
        await new Promise<void>((resolve) => (wake = resolve));
      }
    },
    // written by hand, because a generator would queue this behind a pending `next`
    return: async () => finish(),
  };
}
