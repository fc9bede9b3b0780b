/** Wakes a waiter, also one that starts to wait after the signal. */
export type Wakeup = {
  ring(): void;
  /** Resolves once it was signalled since the last wait, or after `ms` milliseconds. */
  wait(ms: number): Promise<void>;
};

export function createWakeup(): Wakeup {
  let rung = false;
  let wake: (() => void) | undefined;
  return {
    ring() {
      rung = true;
      wake?.();
    },
    async wait(ms) {
      if (!rung) {
        await new Promise<void>((resolve) => {
          const timer = setTimeout(resolve, ms);
          wake = () => {
            clearTimeout(timer);
            resolve();
          };
        });
        wake = undefined;
      }
      rung = false;
    },
  };
}
