import type { RetryState } from '@cueline/core';
import { useEffect, useState } from 'react';

/** When each wait began. A component may mount in the middle of one. */
const beganAt = new WeakMap<RetryState, number>();

/**
 * Whole seconds until a failed model call is retried, and 0 while it is; undefined if nothing is retried.
 * Renders once a second meanwhile.
 *
 * @example
 * const seconds = useRetryCountdown(retrying); // of usePrompt or useRun
 * {seconds !== undefined && <p>Trying again in {seconds} s…</p>}
 */
export function useRetryCountdown(retrying: RetryState | undefined): number | undefined {
  const [now, setNow] = useState(() => performance.now());
  useEffect(() => {
    if (retrying === undefined) return undefined;
    const show = (): void => setNow(performance.now());
    if (!beganAt.has(retrying)) beganAt.set(retrying, performance.now());
    show();
    const timer = setInterval(show, 1_000);
    return () => clearInterval(timer);
  }, [retrying]);
  if (retrying === undefined) return undefined;
  // `now` is from before the wait if this component has shown none yet
  const elapsedMs = Math.max(0, now - (beganAt.get(retrying) ?? now));
  return Math.max(0, Math.ceil((retrying.delayMs - elapsedMs) / 1_000));
}
