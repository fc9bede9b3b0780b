/** Holds back new runs while a provider asks to wait. */
export type RateLimitPause = {
  /** Resolves when a run may start, or when the evaluation is aborted. */
  ready(): Promise<void>;
  /** Holds back new runs for some milliseconds. */
  wait(ms: number): void;
};

/** Creates the pause that the runs of one evaluation share. */
export function createRateLimitPause(signal: AbortSignal): RateLimitPause {
  let until = 0;
  return {
    async ready() {
      // the wait may have grown while this run waited
      for (let ms = until - Date.now(); ms > 0 && !signal.aborted; ms = until - Date.now()) {
        await sleep(ms, signal);
      }
    },
    wait(ms) {
      until = Math.max(until, Date.now() + ms);
    },
  };
}

function sleep(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const end = (): void => {
      clearTimeout(timer);
      signal.removeEventListener('abort', end);
      resolve();
    };
    const timer = setTimeout(end, ms);
    signal.addEventListener('abort', end, { once: true });
  });
}
