/** Wakes one who waits, or who comes to wait after it was rung. */
export type Wakeup = {
  ring(): void;
  /** Resolves once it has been rung since the last time, or after so many ms. */
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
