import { CuelineError } from '@cueline/core';

/** Why runs cannot be stored: the `details.reason` of a `storage_failed`. */
export type StorageFailure =
  /** The browser has no IndexedDB for this page. */
  | 'denied'
  /** The database did not open, because another tab holds it. */
  | 'blocked'
  /** The database belongs to something else, or to a newer version. */
  | 'foreign'
  /** No space is left. */
  | 'full'
  /** Another tab has written to this run. */
  | 'other_tab'
  /** The earlier events of the run have been removed. */
  | 'gone'
  /** Earlier events were not stored. */
  | 'gap'
  | 'unknown';

/** An error of the browser while the database opened, as a {@link CuelineError}. */
export function openingError(databaseName: string, error: unknown): CuelineError {
  if (CuelineError.isInstance(error)) return error;
  switch (readThrown(error).name) {
    case 'QuotaExceededError':
      return storageFullError(error);
    case 'VersionError':
      return foreignDataError(databaseName, error);
    case 'AbortError':
      return databaseFailedError(error);
    default:
      return storageDeniedError(error);
  }
}

/** An error of the browser from a read or a write, as a {@link CuelineError}. */
export function transactionError(databaseName: string, error: unknown): CuelineError {
  if (CuelineError.isInstance(error)) return error;
  switch (readThrown(error).name) {
    case 'QuotaExceededError':
      return storageFullError(error);
    case 'NotFoundError':
      return foreignDataError(databaseName, error);
    default:
      return databaseFailedError(error);
  }
}

/** True if a new connection may succeed where the old one failed. */
export function isConnectionLost(error: unknown): boolean {
  // Safari reports UnknownError when its database process went away under a page in the background
  return ['InvalidStateError', 'AbortError', 'UnknownError'].includes(readThrown(error).name);
}

/** The error of a page, or a server, that cannot store anything. */
export function storageDeniedError(cause?: unknown): CuelineError {
  return storageError(
    'denied',
    'The browser does not let this page store anything (a private window, a frame of another site, or blocked site ' +
      'data), so runs are only in memory. Allow site data for this page, or open it in a tab of its own.',
    cause,
  );
}

/** A `storage_failed` with its reason. */
function storageError(reason: StorageFailure, message: string, cause?: unknown): CuelineError {
  return new CuelineError('storage_failed', message, { cause, details: { reason } });
}

/** The error of a database that does not open because another tab holds it. */
export function storageBlockedError(databaseName: string): CuelineError {
  return storageError(
    'blocked',
    `Another tab keeps the database "${databaseName}" from opening, so runs are only in memory. ` +
      'Close or reload the other tabs of this site.',
  );
}

/** The error of a writer that is not the only one. */
export function otherWriterError(id: string): CuelineError {
  return storageError(
    'other_tab',
    `Another tab writes the run "${id}", so here it is only in memory. Give each tab an id of its own, or start the ` +
      'run again to keep this one. Where there is no other tab, call indexedDbStorage() once, outside of components.',
  );
}

/** The error of a writer whose run has been removed. */
export function runForgottenError(id: string): CuelineError {
  return storageError(
    'gone',
    `The stored log of the run "${id}" was removed, so the rest of the run is only in memory. Start the run again to store it.`,
  );
}

/** The error of a batch that would leave a gap before it. */
export function eventGapError(id: string, seq: number): CuelineError {
  return storageError(
    'gap',
    `The events of the run "${id}" from ${seq} on are not all stored, so what follows them is only in memory. ` +
      'Start the run again to keep it.',
  );
}

function storageFullError(cause: unknown): CuelineError {
  return storageError(
    'full',
    'The storage that the browser gives this site is full, so this run continues only in memory. Make room with ' +
      'remove(id) or clear() of the storage, or keep fewer runs: indexedDbStorage({ maxRuns: 20 }).',
    cause,
  );
}

function foreignDataError(databaseName: string, cause: unknown): CuelineError {
  return storageError(
    'foreign',
    `The database "${databaseName}" was created by other code, or by a newer version of this app. Reload the page, ` +
      "or choose another name: indexedDbStorage({ databaseName: 'my-app-runs' }).",
    cause,
  );
}

function databaseFailedError(cause: unknown): CuelineError {
  return storageError(
    'unknown',
    `The browser's database failed (${readThrown(cause).message}), so this run is only in memory for now.`,
    cause,
  );
}

/** The name and the message of a thrown value. Never throws, even if a getter or a proxy does. */
function readThrown(thrown: unknown): { name: string; message: string } {
  try {
    return thrown instanceof Error
      ? { name: thrown.name, message: thrown.message }
      : { name: '', message: String(thrown) };
  } catch {
    return { name: '', message: 'an object that cannot be read' };
  }
}
