const PREFIX = 'cueline:run:';

/** The runs that are under way in the tabs of this browser. A tab that is closed, or that crashes, loses its own. */
export type RunLocks = {
  /** Says that a run is under way here. Returns the function that says that it has ended. */
  hold(id: string): () => void;
  /** The runs that are under way in any tab; none in a browser without locks. */
  held(): Promise<ReadonlySet<string>>;
};

/** The locks of this browser. */
export const runLocks: RunLocks = {
  hold(id) {
    let release = (): void => {};
    const released = new Promise<void>((resolve) => (release = resolve));
    // rejects if the page is about to be closed, which releases it anyway
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
