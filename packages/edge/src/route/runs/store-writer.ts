import type { EventBatch, RunLogStore } from '../../stores/run-log-store.ts';
import { afterAwakeTime, withTimeout } from './with-timeout.ts';

/** Stores a run while it happens, without delaying it. */
export type StoreWriter = {
  /** Adds an event, as JSON. Nothing follows `run-end`. */
  push(event: string, isEnd: boolean): void;
  /** Resolves once everything that was added is stored, or the store is not waited for. Never rejects. */
  flush(): Promise<void>;
  /**
   * Resolves with true once everything up to `run-end` is stored, or with false if the store refused it. Never
   * rejects.
   */
  readonly written: Promise<boolean>;
};

export type StoreWriterOptions = {
  store: RunLogStore;
  runId: string;
  /** Called with events once they are stored, in order; while the store is away, also before that. */
  show(events: readonly string[], ended: boolean): void;
  /** Called when the store fails for the first time. */
  onFailure(error: unknown): void;
  /**
   * Called if the log has ended while the run continues, because another instance assumed that this one had crashed.
   */
  onOver?(): void;
};

const MAX_BATCH = 500;
/** How often to try after the run's end before it counts as not stored: about a quarter of a minute. */
const TRIES_AFTER_END = 10;
/**
 * How often to try altogether, for clients that ask another instance later: about five minutes, if the process lives.
 */
const LATE_TRIES = 30;
const LATE_PAUSE_MS = 15_000;
const LONGEST_PAUSE_MS = 2_000;
/** How long to wait for a store before unstored events are shown all the same, in milliseconds. */
const SLOW_MS = 1_000;

/**
 * Creates a writer. Events of one turn of the event loop are stored together. A failed write is tried again, in
 * order, during the run and a while after it. Events are stored before they are shown, so that another instance has
 * all of them if this one crashes. Only a store that fails or is slow is not waited for.
 */
export function createStoreWriter(options: StoreWriterOptions): StoreWriter {
  const { store, runId, show, onFailure, onOver } = options;
  const events: string[] = [];
  /** How many events the store has, and how many are shown. */
  let kept = 0;
  let shown = 0;
  let finish: (all: boolean) => void;
  const written = new Promise<boolean>((resolve) => (finish = resolve));
  let writing = false;
  let failed = false;
  let ended = false;
  /** True while the store is away. */
  let away = false;
  /** Callers that wait until so many events are stored. */
  let waiting: { count: number; resolve: () => void }[] = [];

  function showTo(count: number): void {
    if (count <= shown) return;
    const fresh = events.slice(shown, count);
    shown = count;
    show(fresh, ended && count === events.length);
    for (const { count: needed, resolve } of waiting) if (needed <= shown) resolve();
    waiting = waiting.filter(({ count: needed }) => needed > shown);
  }

  function goOnWithout(): void {
    away = true;
    showTo(events.length);
  }

  function nextBatch(): EventBatch {
    const items = events.slice(kept, kept + MAX_BATCH);
    return { first: kept, items, ended: ended && kept + items.length === events.length };
  }

  async function write(): Promise<void> {
    let triesAfterEnd = 0;
    for (let failures = 0; kept < events.length;) {
      if (failures === 0) await pause(0, false);
      const batch = nextBatch();
      const stopWaiting = afterAwakeTime(SLOW_MS, goOnWithout);
      try {
        if ((await withTimeout(store.append(runId, batch))) === 'over') {
          stopWaiting();
          return finish(await keepToTheLog());
        }
        kept += batch.items.length;
        showTo(kept);
        away = false;
        failures = 0;
      } catch (error) {
        if (!failed) onFailure(error);
        failed = true;
        failures += 1;
        // a store that came back may have lost its last events; it skips those that it has
        if (failures > 1) kept = 0;
        goOnWithout();
        if (ended) triesAfterEnd += 1;
        if (triesAfterEnd > LATE_TRIES) return;
        const isLate = triesAfterEnd > TRIES_AFTER_END;
        if (isLate) finish(false);
        await pause(isLate ? LATE_PAUSE_MS : Math.min(50 * 2 ** failures, LONGEST_PAUSE_MS), isLate);
      } finally {
        stopWaiting();
      }
    }
    writing = false;
    if (ended) finish(true);
  }

  /**
   * Shows the end of the stored log instead of this instance's events. Returns false if other events have been shown
   * already.
   */
  async function keepToTheLog(): Promise<boolean> {
    away = false;
    const rest: string[] = [];
    let isWhole = false;
    const enough = new AbortController();
    const read = async (): Promise<void> => {
      // with the last shown event, to compare it
      const batches = store.read(runId, Math.max(shown - 2, -1), enough.signal);
      for await (const batch of batches) {
        rest.push(...batch.items);
        isWhole = batch.ended;
      }
    };
    await withTimeout(read()).finally(() => enough.abort());
    const last = events[shown - 1];
    const isTheSame = last === undefined || rest.shift() === last;
    if (isTheSame) show(rest, isWhole);
    else goOnWithout();
    if (!ended) onOver?.();
    return isTheSame;
  }

  return {
    push(event, isEnd) {
      events.push(event);
      if (isEnd) ended = true;
      if (away) showTo(events.length);
      if (writing) return;
      writing = true;
      void write();
    },
    flush() {
      if (shown === events.length) return Promise.resolve();
      return new Promise((resolve) => waiting.push({ count: events.length, resolve }));
    },
    written,
  };
}

function pause(ms: number, isIdle: boolean): Promise<void> {
  return new Promise((resolve) => {
    const timer: unknown = setTimeout(resolve, ms);
    // in Node a timer keeps the process alive, and this one is not worth that
    if (isIdle) (timer as { unref?: () => void }).unref?.();
  });
}
