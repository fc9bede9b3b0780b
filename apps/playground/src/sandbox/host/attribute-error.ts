import type { CuelineErrorCode, SerializedError } from '@cueline/core';

/**
 * What a worker can find out by itself. Every other code speaks for the provider, the person's settings or the page,
 * and is believed only of an error that the page gave to this worker.
 */
const ownCodes: ReadonlySet<string> = new Set<CuelineErrorCode>([
  'invalid_definition',
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
 * The error that a run may end with, given what its worker says it failed of and the failures that the page's model
 * server sent to it. An error in the provider's name is the one that the server sent, in the server's words; one that
 * it never sent is the script's own, whatever the script calls it.
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
  // A place in the script is for the page to say, from what it compiled.
  const { line: _line, column: _column, ...details } = claim.details ?? {};
  return {
    code: isOwn ? claim.code : 'script_error',
    message: claim.message,
    ...(Object.keys(details).length === 0 ? {} : { details }),
  };
}
