import type { CuelineError } from '../base/errors.ts';
import type { StoredLog, TabbedRun } from '../storage/event-writer.ts';
import type { RunStorage } from '../storage/run-storage.ts';
import { openEventWriter, readStored } from '../storage/store-events.ts';
import { sendToAttempt } from './run-commands.ts';
import type { RunInternals } from './run-internals.ts';

type StorageOptions = {
  id: string;
  storage: RunStorage;
  /** Called with an error of the storage, and with undefined once everything is stored again. */
  onError: (error: CuelineError | undefined) => void;
} & Pick<TabbedRun, 'show' | 'retry' | 'stop'>;

/**
 * Opens the storage of `run`, which stores its events from now on, and returns the events that are stored. `show`,
 * `retry` and `stop` are for other tabs. Throws only CuelineErrors.
 */
export async function openStorage(
  run: RunInternals,
  { id, storage, onError, show, retry, stop }: StorageOptions,
): Promise<StoredLog> {
  run.writer = await openEventWriter(storage, id, onError, {
    attempts: run.attempts,
    log: () => run.log.events,
    show,
    retry,
    command: (command) => sendToAttempt(run.attempts.shown, command),
    stop,
  });
  const stored = await readStored(storage, id);
  if (stored.damage !== undefined) onError(stored.damage);
  return stored;
}
