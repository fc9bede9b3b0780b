import { browserConnectivity } from '../provider/connectivity.ts';
import type { Route } from './route-request.ts';

const FIRST_DELAY_MS = 500;
const MAX_DELAY_MS = 10_000;
/** How often to try although the browser says that it is offline, because it may be wrong, in milliseconds. */
const OFFLINE_PAUSE_MS = 30_000;

/** True if any attempt would fail. */
export function isOffline({ connectivity = browserConnectivity }: Route): boolean {
  return !connectivity.isOnline();
}

/** Waits for a network, but no longer than `OFFLINE_PAUSE_MS`. Ends when `signal` aborts. */
export function untilOnline(
  { connectivity = browserConnectivity }: Route,
  signal: AbortSignal,
): Promise<void> {
  return waitFor(OFFLINE_PAUSE_MS, signal, (done) =>
    connectivity.subscribe(() => {
      if (connectivity.isOnline()) done();
    }),
  );
}

/** Waits before the attempt with this number, and at least so long. Ends when `signal` aborts. */
export function pauseBeforeAttempt(
  { retryDelay = jittered }: Route,
  attempt: number,
  atLeastMs: number,
  signal: AbortSignal,
): Promise<void> {
  return waitFor(Math.max(retryDelay(attempt), atLeastMs), signal);
}

/** Returns twice the pause each time, with jitter, so that not all clients come back at the same moment. */
function jittered(attempt: number): number {
  const delay = Math.min(FIRST_DELAY_MS * 2 ** (attempt - 1), MAX_DELAY_MS);
  return delay / 2 + Math.random() * (delay / 2);
}

function waitFor(ms: number, signal: AbortSignal, listen?: (done: () => void) => () => void): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      clearTimeout(timer);
      signal.removeEventListener('abort', done);
      unsubscribe?.();
      resolve();
    };
    const timer = setTimeout(done, ms);
    const unsubscribe = listen?.(done);
    signal.addEventListener('abort', done);
    if (signal.aborted) done();
  });
}
