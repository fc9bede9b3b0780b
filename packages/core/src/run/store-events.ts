import { CuelineError } from '../errors.ts';
import { LOG_VERSION, type RunEvent } from '../log/events.ts';
import type { RunStorage } from './run-storage.ts';

/** How long events wait for others to be stored with them, in milliseconds. */
const BATCH_MS = 100;

/**
 * What is stored at once: the start, by which a run that goes on elsewhere is found after a reload, and what has been
 * done, so that it is not done again.
 */
const URGENT: ReadonlySet<RunEvent['type']> = new Set([
  'run-start',
  'tool-end',
  'tool-error',
  'step-end',
  'run-end',
]);

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

/** What a storage has of the run `id`, in which `read` finds a state. @throws CuelineError `storage_failed` */
export async function readStored(
  storage: RunStorage,
  id: string,
  read: (stored: readonly RunEvent[]) => unknown,
): Promise<readonly RunEvent[]> {
  try {
    const stored = (await storage.load(id)) ?? [];
    checkReadable(stored, read);
    return stored;
  } catch (error) {
    throw asStorageError(error);
  }
}

/** @throws CuelineError `storage_failed` for a log that cannot be shown: another version's, or a damaged one. */
function checkReadable(stored: readonly RunEvent[], read: (stored: readonly RunEvent[]) => unknown): void {
  const [first] = stored;
  if (first === undefined) return;
  try {
    read(stored);
    if (first.type === 'run-start' && first.v === LOG_VERSION) return;
  } catch {
    // told below
  }
  throw new CuelineError(
    'storage_failed',
    'What is stored of this run was written by another version, or is damaged. The next start takes its place.',
  );
}

/** Why something cannot be stored or read, as an error of ours. */
function asStorageError(error: unknown): CuelineError {
  if (CuelineError.isInstance(error)) return error;
  const why = error instanceof Error ? error.message : String(error);
  return new CuelineError('storage_failed', `The run cannot be kept: ${why}. It goes on without.`, {
    cause: error,
  });
}
