import { CuelineError } from '../base/errors.ts';
import type { Executor } from '../executors/executor.ts';
import { createStoredCalls, type StoredCalls } from '../executors/stored-calls.ts';
import type { RunEvent } from '../log/events.ts';
import type { DroppableWriter } from './event-writer.ts';
import type { RunStorage } from './run-storage.ts';
import { ANSWER_MS, asStorageError, storageTimeoutError } from './storage-errors.ts';

/** How long events wait so that others are stored together with them, in milliseconds. */
const BATCH_MS = 100;
/** The maximum number of events that are added to a stored log at once. */
const MAX_BATCH = 500;
/**
 * The first pause before a failed batch is stored again, in milliseconds. Each pause is twice as long as the one
 * before.
 */
const RETRY_MS = 500;
const MAX_RETRY_MS = 30_000;

/**
 * Events that are stored at once: the start, which finds a run on a route again after a reload, and the beginning and
 * end of each call, so that no call is made twice.
 */
const URGENT: ReadonlySet<RunEvent['type']> = new Set([
  'run-start',
  'run-resume',
  'tool-start',
  'sub-call-start',
  'tool-end',
  'tool-error',
  'step-end',
  'run-end',
]);

/** Reasons that every later attempt would fail for, too. */
const PERMANENT_REASONS: ReadonlySet<unknown> = new Set(['denied', 'foreign', 'other_tab', 'gone', 'gap']);

/**
 * Creates a writer for the run `id`. A batch that cannot be stored is stored again, with all later events, until the
 * storage accepts it or a new log begins. Calls `onError` once with the reason why nothing is stored, and with
 * undefined once everything is stored again. After a lasting failure (`details.reason`), the rest of that log is not
 * stored. `mayStore` is asked before each batch; if it says no, the events that wait are dropped.
 */
export class BatchWriter implements DroppableWriter {
  readonly #storage: RunStorage;
  readonly #id: string;
  readonly #onError: (error: CuelineError | undefined) => void;
  readonly #mayStore: () => Promise<boolean> | undefined;
  /** The events that are not stored yet, in order. */
  #waiting: RunEvent[] = [];
  #timer: ReturnType<typeof setTimeout> | undefined;
  #writing = false;
  #failures = 0;
  #hasGivenUp = false;
  /** The last reported error, which is not reported again. */
  #reported: string | undefined;
  /** Callers that wait until everything is stored. */
  #flushed: (() => void)[] = [];
  /** Ends the pause before the next attempt. */
  #endPause = (): void => {};

  /** Resolves once everything is stored, and at once while the storage fails. */
  readonly flush = (): Promise<void> => {
    if (this.#failures > 0 || (!this.#writing && this.#waiting.length === 0)) return Promise.resolve();
    return new Promise((resolve) => {
      this.#flushed.push(resolve);
      void this.#write();
    });
  };

  constructor(
    storage: RunStorage,
    id: string,
    onError: (error: CuelineError | undefined) => void,
    mayStore: () => Promise<boolean> | undefined,
  ) {
    this.#storage = storage;
    this.#id = id;
    this.#onError = onError;
    this.#mayStore = mayStore;
  }

  add(event: RunEvent): void {
    if (event.seq === 0) {
      this.#waiting = [];
      this.#failures = 0;
      this.#hasGivenUp = false;
      this.#report(undefined);
      this.#endPause();
    }
    if (this.#hasGivenUp) return;
    this.#waiting.push(event);
    if (URGENT.has(event.type)) void this.#write();
    else this.#timer ??= setTimeout(() => void this.#write(), BATCH_MS);
  }

  drop(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#waiting = [];
  }

  calls(): StoredCalls {
    return createStoredCalls(this.flush);
  }

  executor(executor: Executor): Executor {
    return executor;
  }

  alone(action: () => Promise<unknown>): Promise<unknown> {
    return action();
  }

  ready(): void {}

  #report(error: CuelineError | undefined): void {
    if (this.#reported === error?.message) return;
    this.#reported = error?.message;
    this.#onError(error);
  }

  async #write(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (this.#writing) return;
    this.#writing = true;
    // a retry adds the events that it keeps one after the other
    await Promise.resolve();
    while (this.#waiting.length > 0) {
      if ((await this.#mayStore()) === false) {
        this.drop();
        break;
      }
      // the first batch of a log replaces what is stored, so it has all that the log keeps
      const most = this.#waiting[0]?.seq === 0 ? Infinity : MAX_BATCH;
      const batch = this.#waiting.slice(0, most);
      this.#waiting = this.#waiting.slice(batch.length);
      // the storage may still do it, and another batch could otherwise come in between
      const late = setTimeout(() => this.#report(storageTimeoutError()), ANSWER_MS);
      try {
        await this.#storage.append(this.#id, batch, { again: this.#failures > 0 });
        this.#failures = 0;
        this.#report(undefined);
      } catch (error) {
        // a new log has begun meanwhile and may succeed
        if (this.#waiting[0]?.seq === 0) continue;
        this.#report(
          asStorageError(
            error,
            (why) =>
              `The run could not be stored: ${why}. It continues in memory, and is stored as soon as that is possible.`,
          ),
        );
        if (isPermanent(error)) {
          this.#hasGivenUp = true;
          this.#waiting = [];
          break;
        }
        this.#waiting = [...batch, ...this.#waiting];
        this.#failures += 1;
        // a failing storage delays nothing
        this.#release();
        await this.#pause(Math.min(RETRY_MS * 2 ** (this.#failures - 1), MAX_RETRY_MS));
      } finally {
        clearTimeout(late);
      }
    }
    this.#writing = false;
    this.#release();
  }

  #release(): void {
    const released = this.#flushed;
    this.#flushed = [];
    for (const resolve of released) resolve();
  }

  #pause(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const again: unknown = setTimeout(resolve, ms);
      // in Node a timer keeps the process alive, and waiting for a storage is not worth that
      if (this.#failures > 5) (again as { unref?: () => void }).unref?.();
      this.#endPause = () => {
        clearTimeout(again as ReturnType<typeof setTimeout>);
        resolve();
      };
    });
  }
}

function isPermanent(error: unknown): boolean {
  return CuelineError.isInstance(error) && PERMANENT_REASONS.has(error.details?.['reason']);
}
