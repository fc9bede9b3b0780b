const PREFIX = 'cueline:run:';

/** The runs that are in progress in the tabs of this browser. Closing a tab, or its crash, releases its runs. */
export type RunLocks = {
  /** Marks a run as in progress in this tab. Returns a function that removes the mark. */
  hold(id: string): () => void;
  /** The runs that are in progress in any tab; none in a browser without locks. */
  held(): Promise<ReadonlySet<string>>;
};

export const runLocks: RunLocks = {
  hold(id) {
    let release = (): void => {};
    const released = new Promise<void>((resolve) => (release = resolve));
    // rejects if the page is about to close, which releases the lock anyway
    void locksOfBrowser()
      ?.request(PREFIX + id, () => released)
      .catch(() => {});
    return release;
  },
  async held() {
    const { held = [] } = (await locksOfBrowser()?.query()) ?? {};
    const names = held.flatMap(({ name }) => (name?.startsWith(PREFIX) ? [name.slice(PREFIX.length)] : []));
    return new Set(names);
  },
};

function locksOfBrowser(): LockManager | undefined {
  return (globalThis.navigator as { locks?: LockManager } | undefined)?.locks;
}
