import { thrownText } from '../base/error-source.ts';
import { CuelineError } from '../base/errors.ts';

/** How long a storage may take to answer before the run reports it, in milliseconds. */
export const ANSWER_MS: number = 10_000;

/** Returns the reason why something cannot be stored or read, as a CuelineError. */
export function asStorageError(error: unknown, say: (why: string) => string): CuelineError {
  if (CuelineError.isInstance(error)) return error;
  const why = thrownText(error).replace(/\.$/, '');
  return new CuelineError('storage_failed', say(why), { cause: error });
}

/** The error of a storage that has not answered for {@link ANSWER_MS}. */
export function storageTimeoutError(): CuelineError {
  return storageFailedError(
    `The storage has not answered for ${ANSWER_MS / 1_000} s, so the run is only in memory for now.`,
    'silent',
  );
}

/** `reason` says in one word why, in `details.reason`. */
export function storageFailedError(message: string, reason: string): CuelineError {
  return new CuelineError('storage_failed', message, { details: { reason } });
}
