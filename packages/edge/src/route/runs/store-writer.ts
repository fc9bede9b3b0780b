import { unrefTimer } from '../../base/timer.ts';
import { startSuspendSafeTimer, withTimeout } from '../../base/with-timeout.ts';
import { readBatches, type EventBatch, type RunLogStore } from '../../stores/run-log-store.ts';

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
  /** Called with events in order, once they are stored; while the store is unavailable, even before that. */
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
const ATTEMPTS_AFTER_END = 10;
/**
 * How often to try altogether, for clients that ask another instance later: about five minutes, if the process lives.
 */
const LATE_ATTEMPTS = 30;
const LATE_PAUSE_MS = 15_000;
const MAX_PAUSE_MS = 2_000;
/** How long to wait for a store before unstored events are shown anyway, in milliseconds. */
const SLOW_MS = 1_000;

/**
 * Creates a writer. Events of one turn of the event loop are stored together. A failed write is tried again, in
 * order, during the run and a while after it. Events are stored before they are shown, so that another instance has
 * all of them if this one crashes. Only a store that fails or is slow is not waited for.
 */
export function createStoreWriter(options: StoreWriterOptions): StoreWriter {
  return new Writer(options);
}

/** The writer of one run, in order and again after failures. */
class Writer implements StoreWriter {
  readonly #options: StoreWriterOptions;
  readonly #events: string[] = [];
  /** How many events the store has, and how many are shown. */
  #kept = 0;
  #shown = 0;
  #finish: (all: boolean) => void = () => {};
  readonly written = new Promise<boolean>((resolve) => (this.#finish = resolve));
  #writing = false;
  #failed = false;
  #ended = false;
  /** True while the store is away. */
  #away = false;
  /** Callers, each with the number of stored events that it waits for. */
  #waiting: { count: number; resolve: () => void }[] = [];

  constructor(options: StoreWriterOptions) {
    this.#options = options;
  }

  push(event: string, isEnd: boolean): void {
    this.#events.push(event);
    if (isEnd) this.#ended = true;
    if (this.#away) this.#showTo(this.#events.length);
    if (this.#writing) return;
    this.#writing = true;
    void this.#write();
  }

  flush(): Promise<void> {
    if (this.#shown === this.#events.length) return Promise.resolve();
    return new Promise((resolve) => this.#waiting.push({ count: this.#events.length, resolve }));
  }

  readonly #continueWithoutStore = (): void => {
    this.#away = true;
    this.#showTo(this.#events.length);
  };

  #showTo(count: number): void {
    if (count <= this.#shown) return;
    const fresh = this.#events.slice(this.#shown, count);
    this.#shown = count;
    this.#options.show(fresh, this.#ended && count === this.#events.length);
    for (const { count: needed, resolve } of this.#waiting) if (needed <= this.#shown) resolve();
    this.#waiting = this.#waiting.filter(({ count: needed }) => needed > this.#shown);
  }

  #nextBatch(): EventBatch {
    const items = this.#events.slice(this.#kept, this.#kept + MAX_BATCH);
    return {
      first: this.#kept,
      items,
      ended: this.#ended && this.#kept + items.length === this.#events.length,
    };
  }

  async #write(): Promise<void> {
    let attemptsAfterEnd = 0;
    for (let failures = 0; this.#kept < this.#events.length;) {
      if (failures === 0) await pause(0, false);
      const batch = this.#nextBatch();
      const stopWaiting = startSuspendSafeTimer(SLOW_MS, this.#continueWithoutStore);
      try {
        if ((await withTimeout(this.#options.store.append(this.#options.runId, batch))) === 'over') {
          stopWaiting();
          return this.#finish(await this.#showStoredEnd());
        }
        this.#kept += batch.items.length;
        this.#showTo(this.#kept);
        this.#away = false;
        failures = 0;
      } catch (error) {
        if (!this.#failed) this.#options.onFailure(error);
        this.#failed = true;
        failures += 1;
        // a store that came back may have lost its last events; it skips those that it has
        if (failures > 1) this.#kept = 0;
        this.#continueWithoutStore();
        if (this.#ended) attemptsAfterEnd += 1;
        if (attemptsAfterEnd > LATE_ATTEMPTS) return;
        const isLate = attemptsAfterEnd > ATTEMPTS_AFTER_END;
        if (isLate) this.#finish(false);
        await pause(isLate ? LATE_PAUSE_MS : Math.min(50 * 2 ** failures, MAX_PAUSE_MS), isLate);
      } finally {
        stopWaiting();
      }
    }
    this.#writing = false;
    if (this.#ended) this.#finish(true);
  }

  /**
   * Shows the end of the stored log instead of this instance's events. Returns false if other events have been shown
   * already.
   */
  async #showStoredEnd(): Promise<boolean> {
    this.#away = false;
    const rest: string[] = [];
    let isWhole = false;
    const enough = new AbortController();
    const read = async (): Promise<void> => {
      // with the last shown event, to compare it
      const after = Math.max(this.#shown - 2, -1);
      const batches = await readBatches(this.#options.store, this.#options.runId, after, enough.signal);
      for await (const batch of batches) {
        rest.push(...batch.items);
        isWhole = batch.ended;
      }
    };
    await withTimeout(read()).finally(() => enough.abort());
    const last = this.#events[this.#shown - 1];
    const isTheSame = last === undefined || rest.shift() === last;
    if (isTheSame) this.#options.show(rest, isWhole);
    else this.#continueWithoutStore();
    if (!this.#ended) this.#options.onOver?.();
    return isTheSame;
  }
}

function pause(ms: number, isIdle: boolean): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    if (isIdle) unrefTimer(timer);
  });
}
