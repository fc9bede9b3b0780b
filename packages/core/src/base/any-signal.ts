/**
 * Returns a signal that aborts with the first of these; undefined if there is none. Replaces `AbortSignal.any`, which
 * Hermes and Next's edge runtime lack.
 */
export function anySignal(first: AbortSignal, ...others: (AbortSignal | undefined)[]): AbortSignal;
export function anySignal(...signals: (AbortSignal | undefined)[]): AbortSignal | undefined;
export function anySignal(...signals: (AbortSignal | undefined)[]): AbortSignal | undefined {
  const defined = signals.filter((signal) => signal !== undefined);
  if (defined.length < 2) return defined[0];
  if (typeof AbortSignal.any === 'function') return AbortSignal.any(defined);
  const controller = new AbortController();
  const onAbort = (event: Event): void => abort(event.target as AbortSignal);
  const abort = ({ reason }: AbortSignal): void => {
    for (const signal of defined) signal.removeEventListener('abort', onAbort);
    controller.abort(reason);
  };
  for (const signal of defined) signal.addEventListener('abort', onAbort);
  const aborted = defined.find((signal) => signal.aborted);
  if (aborted !== undefined) abort(aborted);
  return controller.signal;
}
