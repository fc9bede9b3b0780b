/** True for a promise of any library. */
export function isPromise(value: unknown): value is PromiseLike<unknown> {
  return typeof (value as { then?: unknown } | null | undefined)?.then === 'function';
}

/**
 * True for a promise where a value is expected, so that a caller has forgotten an `await`. The caller refuses it, and
 * nothing else handles its rejection, which would end a server's process.
 */
export function isUnawaited(value: unknown): boolean {
  if (!isPromise(value)) return false;
  Promise.resolve(value).catch(() => {});
  return true;
}
