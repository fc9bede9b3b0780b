import { startTimer } from './timer.ts';

/** How long one operation of a store may take, in milliseconds. */
const DEFAULT_TIMEOUT_MS = 10_000;

/** The error of {@link withTimeout}, and of nothing else. */
export class TimeoutElapsed extends Error {
  constructor(ms: number) {
    super(`There was no answer within ${ms} ms.`);
  }
}

/** Returns the work, or rejects if it takes too long, because a store that hangs must not block its callers. */
export function withTimeout<Value>(work: Promise<Value>, ms: number = DEFAULT_TIMEOUT_MS): Promise<Value> {
  return new Promise((resolve, reject) => {
    const stopWaiting = startSuspendSafeTimer(ms, () => reject(new TimeoutElapsed(ms)));
    void work.then(resolve, reject).finally(stopWaiting);
  });
}

/**
 * Calls `work` after `ms` milliseconds, unless the returned function is called before. In two halves, because a
 * process that was frozen runs its timers first, and reads answers that came meanwhile only then.
 */
export function startSuspendSafeTimer(ms: number, work: () => void): () => void {
  let timer = startTimer(() => (timer = startTimer(work, ms / 2)), ms / 2);
  return () => clearTimeout(timer);
}
