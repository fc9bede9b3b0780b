import { CuelineError } from '../errors.ts';
import type { RunEvent } from '../log/events.ts';
import type { RunStorage } from './run-storage.ts';

/** How long events wait for others to be stored with them, in milliseconds. */
const BATCH_MS = 100;

/** What has been done must not be done again after a reload, so it is stored at once. */
const URGENT: ReadonlySet<RunEvent['type']> = new Set(['tool-end', 'tool-error', 'step-end', 'run-end']);

/** Keeps a run's events in a storage, in batches. */
export type EventWriter = {
  /** The next event; one whose `seq` is 0 begins a log in the place of what was stored before. */
  add(event: RunEvent): void;
};

/**
 * A writer for the run `id`. `onError` is told once a log why it cannot be stored (and with undefined when a new one
 * begins); the rest of that log is not stored then.
 */
export function createEventWriter(
  storage: RunStorage,
  id: string,
  onError: (error: CuelineError | undefined) => void,
): EventWriter {
  let waiting: RunEvent[] = [];
  let timer: ReturnType<typeof setTimeout> | undefined;
  let writing = false;
  let failed = false;

  async function write(): Promise<void> {
    clearTimeout(timer);
    timer = undefined;
    if (writing) return;
    writing = true;
    while (waiting.length > 0) {
      const batch = waiting;
      waiting = [];
      try {
        await storage.append(id, batch);
      } catch (error) {
        // a new log may have begun meanwhile, and may fare better
        if (waiting[0]?.seq === 0) continue;
        failed = true;
        waiting = [];
        onError(asStorageError(error));
      }
    }
    writing = false;
  }

  return {
    add(event) {
      if (event.seq === 0) {
        waiting = [];
        if (failed) onError(undefined);
        failed = false;
      }
      if (failed) return;
      waiting.push(event);
      if (URGENT.has(event.type)) void write();
      else timer ??= setTimeout(() => void write(), BATCH_MS);
    },
  };
}

/** Why something cannot be stored or read, as an error of ours. */
export function asStorageError(error: unknown): CuelineError {
  if (CuelineError.isInstance(error)) return error;
  const why = error instanceof Error ? error.message : String(error);
  return new CuelineError('storage_failed', `The run cannot be kept: ${why}. It goes on without.`, {
    cause: error,
  });
}
