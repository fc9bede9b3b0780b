import type { DroppableWriter, EventWriter, LoadedLog, TabbedRun } from './event-writer.ts';
import type { TabWriter } from './tab-writer.ts';
import { loadModule } from '../base/load-module.ts';
import { CuelineError } from '../base/errors.ts';
import { isRunEvent } from '../wire/check-event.ts';
import { createServerEventCounter } from '../wire/event-limits.ts';
import { LOG_VERSION, type RunEvent } from '../log/events.ts';
import { upgradeLog } from '../log/upgrade-log.ts';
import { createReducer, type Reducer } from '../log/reduce.ts';
import type { Executor } from '../executors/executor.ts';
import type { RunStorage } from './run-storage.ts';
import { createStoredCalls, type StoredCalls } from '../executors/stored-calls.ts';

/** How long events wait so that others are stored together with them, in milliseconds. */
const BATCH_MS = 100;
/** The maximum number of events that are added to a stored log at once. */
const MAX_BATCH = 500;
/** How long a storage may take to answer before the run reports it, in milliseconds. */
const ANSWER_MS = 10_000;
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
class BatchWriter implements DroppableWriter {
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

/**
 * Creates a writer for the run `id` that other tabs of the browser can see, if the storage has a `scope` and the
 * browser supports it. Calls `onError` as {@link BatchWriter} does.
 */
export async function openEventWriter(
  storage: RunStorage,
  id: string,
  onError: (error: CuelineError | undefined) => void,
  run: TabbedRun,
): Promise<EventWriter> {
  let tab: TabWriter | undefined;
  const report = (error: CuelineError | undefined): void => {
    // the other tab stores the same run
    if (error?.details?.['reason'] !== 'other_tab' || tab?.mayBeStoredElsewhere !== true) onError(error);
  };
  const writer = new BatchWriter(storage, id, report, () => tab?.mayStore());
  const { scope } = storage;
  const { navigator, BroadcastChannel } = globalThis as {
    navigator?: { locks?: unknown };
    BroadcastChannel?: unknown;
  };
  if (scope === undefined || !navigator?.locks || BroadcastChannel === undefined) return writer;
  const { openTabWriter } = await loadModule('tabs', import('./tab-writer.ts'));
  // a frame without an origin has locks that it may not use
  tab = await openTabWriter({ id, scope, writer, run, readStored: () => readStored(storage, id) }).catch(
    () => undefined,
  );
  return tab ?? writer;
}

/**
 * Returns the stored events of the run `id`, up to the first that cannot be read.
 * @throws CuelineError `storage_failed` if the storage fails or does not answer, or has a log of an unknown version
 */
export async function readStored(storage: RunStorage, id: string): Promise<LoadedLog> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const limit = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(storageTimeoutError()), ANSWER_MS);
  });
  try {
    return readable(upgradeLog((await Promise.race([storage.load(id), limit])) ?? []));
  } catch (error) {
    throw asStorageError(
      error,
      (why) => `The stored log of this run could not be read: ${why}. The run starts without it.`,
    );
  } finally {
    clearTimeout(timer);
  }
}

function readable(stored: readonly RunEvent[]): LoadedLog {
  const [first] = stored;
  if (first === undefined) return { events: [] };
  const length = readableLength(stored);
  if (length === 0 || first.type !== 'run-start' || first.v !== LOG_VERSION) {
    throw storageFailedError(
      'The stored log of this run was written by another version, or is damaged from its beginning. The next start replaces it.',
      'damaged',
    );
  }
  if (length === stored.length) return { events: stored };
  const damage = storageFailedError(
    `The stored log of this run is damaged after its first ${length} events, so later events are lost. ` +
      'retry() continues after its last complete step.',
    'damaged',
  );
  return { events: stored.slice(0, length), damage };
}

/** Returns how many events follow each other from 0, are within the limits of a run, and can be shown. */
function readableLength(stored: readonly RunEvent[]): number {
  const count = createServerEventCounter();
  const excess = stored.findIndex((event) => count(event) !== undefined);
  const counted = excess === -1 ? stored : stored.slice(0, excess);
  if (canBeShown(counted, 0, createReducer())) return counted.length;
  const reducer = createReducer();
  return counted.findIndex((_, index) => !canBeShown(counted.slice(index, index + 1), index, reducer));
}

function canBeShown(events: readonly RunEvent[], from: number, reducer: Reducer): boolean {
  try {
    for (const [index, event] of events.entries()) {
      if (event.seq !== from + index || !isRunEvent(event)) return false;
      reducer.apply(event);
    }
    reducer.snapshot();
    return true;
  } catch {
    return false;
  }
}

function isPermanent(error: unknown): boolean {
  return CuelineError.isInstance(error) && PERMANENT_REASONS.has(error.details?.['reason']);
}

/** Returns the reason why something cannot be stored or read, as a CuelineError. */
function asStorageError(error: unknown, say: (why: string) => string): CuelineError {
  if (CuelineError.isInstance(error)) return error;
  const why = (error instanceof Error ? error.message : String(error)).replace(/\.$/, '');
  return new CuelineError('storage_failed', say(why), { cause: error });
}

function storageTimeoutError(): CuelineError {
  return storageFailedError(
    `The storage has not answered for ${ANSWER_MS / 1_000} s, so the run is only in memory for now.`,
    'silent',
  );
}

function storageFailedError(message: string, reason: string): CuelineError {
  return new CuelineError('storage_failed', message, { details: { reason } });
}
