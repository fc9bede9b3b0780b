/** How long a store may take for one thing, in milliseconds. */
const PATIENCE_MS = 10_000;

/** What {@link withTimeout} rejects with, and nothing else does. */
export class TimeoutElapsed extends Error {
  constructor(ms: number) {
    super(`It took longer than ${ms} ms.`);
  }
}

/** The same, or a rejection where it takes too long: a store that hangs must not hang whoever asks it. */
export function withTimeout<Value>(work: Promise<Value>, ms: number = PATIENCE_MS): Promise<Value> {
  return new Promise((resolve, reject) => {
    const stopWaiting = afterAwakeTime(ms, () => reject(new TimeoutElapsed(ms)));
    void work.then(resolve, reject).finally(stopWaiting);
  });
}

/**
 * Does something after so many milliseconds, unless what it gives is called before. In two halves: a process that was
 * frozen hears of its timers first, and of what was answered meanwhile only then.
 */
export function afterAwakeTime(ms: number, work: () => void): () => void {
  let timer = setTimeout(() => (timer = setTimeout(work, ms / 2)), ms / 2);
  return () => clearTimeout(timer);
}
