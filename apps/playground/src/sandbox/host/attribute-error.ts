import type { CuelineErrorCode, SerializedError } from '@cueline/core';

/**
 * The codes of errors that a worker can detect by itself. Every other code is about the provider, the user's settings
 * or the page, and is accepted only if the page sent that error to this worker.
 */
const ownCodes: ReadonlySet<string> = new Set<CuelineErrorCode>([
  'invalid_definition',
  'invalid_input',
  'invalid_options',
  'alias_cycle',
  'missing_package',
  'aborted',
  'timeout',
  'stream_truncated',
  'script_error',
  'content_filter',
  'tasks_incomplete',
  'budget_exceeded',
  'loop_detected',
  'parse_failed',
]);

/**
 * Returns the error of a run, from the worker's claim and the failures that the page's model server has sent to the
 * worker. A provider error gets the code and the message that the server sent. An error that the server never sent
 * counts as an error of the script, whatever its code.
 */
export function attributeError(claim: SerializedError, sent: readonly SerializedError[]): SerializedError {
  const failures = sent.filter(({ code }) => code === claim.code);
  const isOwn = ownCodes.has(claim.code);
  const known =
    failures.findLast(({ message }) => claim.message.startsWith(message)) ??
    (isOwn ? undefined : failures.at(-1));
  if (known !== undefined) {
    // Only the AI SDK in the worker knows how often it tried.
    const attempts = claim.details?.['attempts'];
    if (typeof attempts !== 'number' || !Number.isSafeInteger(attempts) || attempts < 2) return known;
    return {
      ...known,
      message: `${known.message} (${attempts} attempts)`,
      details: { ...known.details, attempts },
    };
  }
  // The page knows the position in the script, because it compiled it.
  const { line: _line, column: _column, ...details } = claim.details ?? {};
  return {
    code: isOwn ? claim.code : 'script_error',
    message: claim.message,
    ...(Object.keys(details).length === 0 ? {} : { details }),
  };
}
