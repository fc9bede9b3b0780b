import { CuelineError } from '../base/errors.ts';
import { quoteValue } from '../base/quote-value.ts';
import type { RunEvent } from '../log/events.ts';
import type { TabbedRun } from '../storage/event-writer.ts';
import { openEventWriter } from '../storage/open-event-writer.ts';
import { readStored } from '../storage/read-stored.ts';
import type { RunStorage } from '../storage/run-storage.ts';
import { sendToAttempt } from './run-commands.ts';
import type { RunInternals } from './run-internals.ts';

export { upgradeLog } from '../log/upgrade-log.ts';

type StorageOptions = {
  id: string;
  storage: RunStorage;
  /** Called with an error of the storage, and with undefined once everything is stored again. */
  onError: (error: CuelineError | undefined) => void;
} & Pick<TabbedRun, 'show' | 'retry' | 'stop'>;

/** The log with which a run begins. `isStored`: its events need not be stored any more. */
export type OpenedLog = { events: readonly RunEvent[]; isStored: boolean };

/**
 * Opens the storage of `run`, which stores its events from now on, and returns the log that is stored, if there is one.
 * `show`, `retry` and `stop` are for other tabs. Throws only CuelineErrors.
 */
export async function openStorage(
  run: RunInternals,
  { id, storage, onError, show, retry, stop }: StorageOptions,
): Promise<OpenedLog | undefined> {
  checkStorage(storage);
  run.writer = await openEventWriter(storage, id, onError, {
    attempts: run.attempts,
    log: () => run.log.events,
    show,
    retry,
    command: (command) => sendToAttempt(run.attempts.shown, command),
    stop,
    isWatched: () => run.subscribers.size + run.listeners.size > 0,
  });
  const { events, damage } = await readStored(storage, id);
  if (damage !== undefined) onError(damage);
  // a log that continues behind its damage is stored again from its beginning
  return events.length > 0 ? { events, isStored: damage === undefined } : undefined;
}

function checkStorage(storage: Partial<RunStorage>): void {
  if (typeof storage.load === 'function' && typeof storage.append === 'function') return;
  throw new CuelineError(
    'storage_failed',
    `The run is not stored, because its storage is ${quoteValue(storage)} without load and append. Write indexedDbStorage(), or an object with load, append and remove.`,
    { details: { reason: 'unknown' } },
  );
}
