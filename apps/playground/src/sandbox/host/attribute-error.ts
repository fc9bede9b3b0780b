import type { CuelineErrorCode, SerializedError } from '@cueline/core';

/**
 * The codes of errors that a worker can detect by itself. Every other code speaks for the provider, the
 * user's settings or the page, and is believed only if the page gave that error to this worker.
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
 * The error of a run, from the worker's claim and from the failures that the page's model server has sent to
 * it. An error in the provider's name is the one that the server sent, in the server's words; an error that
 * it never sent is the script's own, whatever code it has.
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
