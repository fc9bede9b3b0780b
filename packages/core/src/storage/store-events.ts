import { CuelineError } from '../base/errors.ts';
import { loadPart } from '../base/load-part.ts';
import { isRunEvent } from '../wire/check-event.ts';
import { createEventCounter, serverEventLimits } from '../wire/event-limits.ts';
import { LOG_VERSION, type RunEvent } from '../log/events.ts';
import { upgradeLog } from '../log/upgrade-log.ts';
import { createReducer, type Reducer } from '../log/reduce.ts';
import type { Executor } from '../executors/executor.ts';
import type { RunStorage } from './run-storage.ts';
import { createStoredCalls, type StoredCalls } from '../executors/stored-calls.ts';
import type { TabbedRun } from './tabs.ts';

/** How long events wait for others to be stored with them, in milliseconds. */
const BATCH_MS = 100;
/** How many events are given to the storage at once. */
const MAX_BATCH = 500;
/** How long a storage may take to answer before the run says that it does not, in milliseconds. */
const ANSWER_MS = 10_000;
/** The first pause before a batch that could not be stored is given again, in milliseconds. Each pause is twice the one before. */
const RETRY_MS = 500;
const MAX_RETRY_MS = 30_000;

/**
 * What is stored at once: the start, by which a run that goes on elsewhere is found after a reload, and the beginning and
 * end of each call, so that no call is made twice.
 */
const URGENT: ReadonlySet<RunEvent['type']> = new Set([
  'run-start',
  'tool-start',
  'sub-call-start',
  'tool-end',
  'tool-error',
  'step-end',
  'run-end',
]);

/** Failures of a storage that the next try meets again, however long it waits. */
const LASTING: ReadonlySet<unknown> = new Set(['denied', 'foreign', 'other_tab', 'gone', 'gap']);

/** Keeps a run's events in a storage, in batches. */
export type EventWriter = {
  /** The next event; one whose `seq` is 0 begins a log in the place of what was stored before. */
  add(event: RunEvent): void;
  /** For one start: lets its calls wait until everything that was added before them is stored. */
  calls(): StoredCalls;
  /** Resolves once everything is stored, and at once while the storage fails. */
  flush(): Promise<void>;
  /** What works on the run, or on a log of the past, where other tabs may do so as well. */
  executor(executor: Executor, isStart: boolean): Executor;
  /**
   * Makes a move that goes on with what is shown. Where another tab works on the run, that is ended before, and all that
   * has happened is shown; where that tab comes to a whole end before, a move that `ends` is not made.
   */
  alone(move: () => Promise<unknown>, ends: boolean): Promise<unknown>;
  /** The run shows what was stored of it: other tabs are heard from here on. */
  ready(): void;
};

/**
 * A writer for the run `id` that other tabs of the browser see at work, where the storage says that they share it
 * (`scope`) and the browser lets them. Arguments are those of {@link createEventWriter}.
 */
export async function openEventWriter(
  storage: RunStorage,
  id: string,
  onError: (error: CuelineError | undefined) => void,
  run: TabbedRun,
): Promise<EventWriter> {
  const writer = createEventWriter(storage, id, onError);
  const { scope } = storage;
  const { navigator, BroadcastChannel } = globalThis as {
    navigator?: { locks?: unknown };
    BroadcastChannel?: unknown;
  };
  if (scope === undefined || navigator?.locks === undefined || BroadcastChannel === undefined) return writer;
  const { openTab } = await loadPart('tabs', import('./tabs.ts'));
  return openTab({ id, scope, storage, writer, run });
}

/**
 * A writer for the run `id`. A batch that cannot be stored is given again, with all that came after it, until the storage
 * takes it or a new log begins. `onError` is told once why nothing is stored at the moment, and with undefined once
 * everything is stored again. After a failure that lasts (`details.reason`), the rest of that log is not stored.
 */
export function createEventWriter(
  storage: RunStorage,
  id: string,
  onError: (error: CuelineError | undefined) => void,
): EventWriter {
  /** What is not stored, in its order. */
  let waiting: RunEvent[] = [];
  let timer: ReturnType<typeof setTimeout> | undefined;
  let writing = false;
  let failures = 0;
  let hasGivenUp = false;
  /** What was told last, which is not told again. */
  let told: string | undefined;
  /** Those who wait until everything is stored. */
  let flushed: (() => void)[] = [];
  /** Ends the pause before the next try. */
  let goOn = (): void => {};

  function tell(error: CuelineError | undefined): void {
    if (told === error?.message) return;
    told = error?.message;
    onError(error);
  }

  async function write(): Promise<void> {
    clearTimeout(timer);
    timer = undefined;
    if (writing) return;
    writing = true;
    while (waiting.length > 0) {
      const batch = waiting.slice(0, MAX_BATCH);
      waiting = waiting.slice(MAX_BATCH);
      // the storage may still do it: another batch before it has answered could come in between
      const late = setTimeout(() => tell(storageTimeoutError()), ANSWER_MS);
      try {
        await storage.append(id, batch, { again: failures > 0 });
        failures = 0;
        tell(undefined);
      } catch (error) {
        // a new log has begun meanwhile, and may fare better
        if (waiting[0]?.seq === 0) continue;
        tell(
          asStorageError(
            error,
            (why) =>
              `The run could not be stored: ${why}. It goes on in memory, and is stored once that works.`,
          ),
        );
        if (isLasting(error)) {
          hasGivenUp = true;
          waiting = [];
          break;
        }
        waiting = [...batch, ...waiting];
        failures += 1;
        // a storage that fails holds nothing up
        release();
        await pause(Math.min(RETRY_MS * 2 ** (failures - 1), MAX_RETRY_MS));
      } finally {
        clearTimeout(late);
      }
    }
    writing = false;
    release();
  }

  function release(): void {
    const released = flushed;
    flushed = [];
    for (const resolve of released) resolve();
  }

  /** Resolves once everything is stored, and at once while the storage fails. */
  function flush(): Promise<void> {
    if (failures > 0 || (!writing && waiting.length === 0)) return Promise.resolve();
    return new Promise((resolve) => {
      flushed.push(resolve);
      void write();
    });
  }

  function pause(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const again: unknown = setTimeout(resolve, ms);
      // in Node a timer keeps the process alive, which a storage that is away for long is not worth
      if (failures > 5) (again as { unref?: () => void }).unref?.();
      goOn = () => {
        clearTimeout(again as ReturnType<typeof setTimeout>);
        resolve();
      };
    });
  }

  return {
    add(event) {
      if (event.seq === 0) {
        waiting = [];
        failures = 0;
        hasGivenUp = false;
        tell(undefined);
        goOn();
      }
      if (hasGivenUp) return;
      waiting.push(event);
      if (URGENT.has(event.type)) void write();
      else timer ??= setTimeout(() => void write(), BATCH_MS);
    },
    calls: () => createStoredCalls(flush),
    flush,
    executor: (executor) => executor,
    alone: (move) => move(),
    ready() {},
  };
}

/** What a storage has of a run, and where not all of it can be read, why. */
export type StoredLog = { events: readonly RunEvent[]; damage?: CuelineError };

/**
 * What a storage has of the run `id`, up to the first event that cannot be read.
 * @throws CuelineError `storage_failed` where the storage fails or does not answer, or has a log of another version
 */
export async function readStored(storage: RunStorage, id: string): Promise<StoredLog> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const limit = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(storageTimeoutError()), ANSWER_MS);
  });
  try {
    return readable(upgradeLog((await Promise.race([storage.load(id), limit])) ?? []));
  } catch (error) {
    throw asStorageError(
      error,
      (why) => `What is stored of this run could not be read: ${why}. It begins without.`,
    );
  } finally {
    clearTimeout(timer);
  }
}

function readable(stored: readonly RunEvent[]): StoredLog {
  const [first] = stored;
  if (first === undefined) return { events: [] };
  const length = readableLength(stored);
  if (length === 0 || first.type !== 'run-start' || first.v !== LOG_VERSION) {
    throw storageFailedError(
      'What is stored of this run was written by another version, or is damaged from its beginning on. The next start takes its place.',
      'damaged',
    );
  }
  if (length === stored.length) return { events: stored };
  const damage = storageFailedError(
    `What is stored of this run is damaged after its first ${length} events, so what came after them is lost. ` +
      'retry() continues after its last whole step.',
    'damaged',
  );
  return { events: stored.slice(0, length), damage };
}

/** How many events follow each other from 0, are no more than a run may hold, and can be shown. */
function readableLength(stored: readonly RunEvent[]): number {
  const count = createEventCounter(serverEventLimits, { unknownTypes: 'counted' });
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

function isLasting(error: unknown): boolean {
  return CuelineError.isInstance(error) && LASTING.has(error.details?.['reason']);
}

/** Why something cannot be stored or read, as an error of ours. */
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
