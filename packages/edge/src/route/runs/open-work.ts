import { startTimer } from '../../base/timer.ts';
/** Work in progress. */
export type OpenWork = {
  readonly count: number;
  /** Counts the work until it has settled. */
  add(work: Promise<void>): void;
  /** Resolves once no work is in progress, or after `ms` milliseconds. */
  over(ms: number): Promise<void>;
};

/** Counts the work of a run's functions, which may continue after their run has ended. */
export function createOpenWork(): OpenWork {
  const waiting = new Set<() => void>();
  let count = 0;

  function end(): void {
    count -= 1;
    if (count === 0) for (const wake of waiting) wake();
  }

  return {
    get count() {
      return count;
    },
    add(work) {
      count += 1;
      void work.then(end, end);
    },
    over(ms) {
      if (count === 0) return Promise.resolve();
      return new Promise((resolve) => {
        const wake = (): void => {
          clearTimeout(timer);
          waiting.delete(wake);
          resolve();
        };
        const timer = startTimer(wake, ms);
        waiting.add(wake);
      });
    },
  };
}
