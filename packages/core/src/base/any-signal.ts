/**
 * Returns a signal that aborts with the first of these; undefined if there is none. Replaces `AbortSignal.any`, which
 * Hermes and Next's edge runtime lack.
 */
export function anySignal(first: AbortSignal, ...others: (AbortSignal | undefined)[]): AbortSignal;
export function anySignal(...signals: (AbortSignal | undefined)[]): AbortSignal | undefined;
export function anySignal(...signals: (AbortSignal | undefined)[]): AbortSignal | undefined {
  const given = signals.filter((signal) => signal !== undefined);
  if (given.length < 2) return given[0];
  if (typeof AbortSignal.any === 'function') return AbortSignal.any(given);
  const controller = new AbortController();
  const onAbort = (event: Event): void => abort(event.target as AbortSignal);
  const abort = ({ reason }: AbortSignal): void => {
    for (const signal of given) signal.removeEventListener('abort', onAbort);
    controller.abort(reason);
  };
  for (const signal of given) signal.addEventListener('abort', onAbort);
  const aborted = given.find((signal) => signal.aborted);
  if (aborted !== undefined) abort(aborted);
  return controller.signal;
}
