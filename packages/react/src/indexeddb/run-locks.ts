/** The runs on which this page works. Other tabs can see them, and a page that crashes loses its locks. */
export type RunLocks = {
  /**
   * True once this page may write to the run, because it did before, or because no other page does. False if
   * another page does; a `start` takes the run from it. Always true without locks, as in pages without https.
   */
  take(id: string, start: boolean): Promise<boolean>;
  /** The run has ended, or is no longer kept. */
  release(id: string): void;
};

/** How long a closing page may take to release its runs, in milliseconds. */
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
          // a reloaded page may load before the page that it replaces has gone
          start ? { steal: true } : { signal: AbortSignal.timeout(GRACE_MS) },
          () => {
            held.set(id, release);
            resolve(true);
            return released;
          },
        )
        // the lock was taken away, or not granted; a frame without an origin may use no locks, and has no other pages
        .catch((error: unknown) => {
          if (held.get(id) === release) held.delete(id);
          resolve((error as Error).name === 'SecurityError');
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

/** Undefined in pages without https. In happy-dom, `navigator.locks` is null. */
function lockManager(): LockManager | undefined {
  return (globalThis.navigator as { locks?: LockManager | null } | undefined)?.locks ?? undefined;
}
