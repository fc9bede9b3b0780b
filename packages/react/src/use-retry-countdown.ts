import type { RetryState } from '@cueline/core';
import { useEffect, useState } from 'react';

/**
 * Whole seconds until a failed model call is retried, and 0 while it is; undefined if nothing is retried.
 * Renders once a second meanwhile.
 *
 * @example
 * const seconds = useRetryCountdown(retrying); // of usePrompt or useRun
 * {seconds !== undefined && <p>Trying again in {seconds} s…</p>}
 */
export function useRetryCountdown(retrying: RetryState | undefined): number | undefined {
  const [since, setSince] = useState({ retrying, elapsedMs: 0 });
  useEffect(() => {
    if (retrying === undefined) return undefined;
    const began = performance.now();
    const timer = setInterval(() => {
      const elapsedMs = performance.now() - began;
      setSince({ retrying, elapsedMs });
      if (elapsedMs >= retrying.delayMs) clearInterval(timer);
    }, 1_000);
    return () => clearInterval(timer);
  }, [retrying]);
  if (retrying === undefined) return undefined;
  const elapsedMs = since.retrying === retrying ? since.elapsedMs : 0;
  return Math.max(0, Math.ceil((retrying.delayMs - elapsedMs) / 1_000));
}
