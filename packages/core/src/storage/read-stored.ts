import { LOG_VERSION, type RunEvent } from '../log/events.ts';
import { createReducer, type Reducer } from '../log/reduce.ts';
import { upgradeLog } from '../log/upgrade-log.ts';
import { isRunEvent } from '../wire/check-event.ts';
import { createServerEventCounter } from '../wire/event-limits.ts';
import type { LoadedLog } from './event-writer.ts';
import type { RunStorage } from './run-storage.ts';
import { ANSWER_MS, asStorageError, storageFailedError, storageTimeoutError } from './storage-errors.ts';

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
