/** Which runs are under way here. Other tabs see it, and a page that dies holds nothing any more. */
export type RunLocks = {
  /**
   * True once this page may write to the run: it did before, or no other one is at it. False where another one is; a
   * `start` takes the run from it. Always true where the browser has no locks, as in pages without https.
   */
  take(id: string, start: boolean): Promise<boolean>;
  /** The run is over, or kept no longer. */
  release(id: string): void;
};

/** How long a page that is going away may take to let go of its runs, in milliseconds. */
const GRACE_MS = 1_000;

/** The locks of the runs in one database. */
export function createRunLocks(databaseName: string): RunLocks {
  const held = new Map<string, () => void>();

  async function hold(id: string, locks: LockManager, start: boolean): Promise<boolean> {
    let release: () => void = () => {};
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    return await new Promise((resolve) => {
      locks
        .request(
          `cueline:${databaseName}:${id}`,
          // a reloaded page may come back before the one that it replaces has gone
          start ? { steal: true } : { signal: AbortSignal.timeout(GRACE_MS) },
          () => {
            held.set(id, release);
            resolve(true);
            return released;
          },
        )
        // taken away, or not given
        .catch(() => {
          if (held.get(id) === release) held.delete(id);
          resolve(false);
        });
    });
  }

  return {
    async take(id, start) {
      const locks = lockManager();
      return locks === undefined || held.has(id) || (await hold(id, locks, start));
    },
    release(id) {
      held.get(id)?.();
      held.delete(id);
    },
  };
}

function lockManager(): LockManager | undefined {
  return (globalThis.navigator as { locks?: LockManager } | undefined)?.locks;
}
