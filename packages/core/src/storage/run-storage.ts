import type { RunEvent } from '../log/events.ts';

/**
 * Where runs are stored while the page is closed. If it fails, the run continues in memory, and its state has the
 * error.
 */
export type RunStorage = {
  /**
   * Set if other tabs of the browser share the runs: a name that is the same in each of them, such as that of the
   * database. If the browser has locks and channels between tabs, one tab at a time then works on a run and the
   * others follow it.
   */
  readonly scope?: string | undefined;
  /**
   * Returns every event of the run's last start, in order, or undefined for a run that was never stored. If an event
   * cannot be read, the run drops it and all later ones, and its `storageError` says so.
   */
  load(id: string): Promise<readonly RunEvent[] | undefined>;
  /**
   * Adds a batch of events, which follow each other and the stored ones. A batch whose first `seq` is 0 replaces
   * everything that is stored. The batches of one run come one after the other. If this throws, the error becomes the
   * run's `storageError`, and the batch comes again after a pause (`again`), together with later events: replace
   * those of its events that are stored already.
   * @throws CuelineError `storage_failed`, with a `details.reason` of `denied`, `foreign`, `other_tab`, `gone` or
   * `gap` if trying again is useless: the rest of that log is not stored then
   */
  append(id: string, events: readonly RunEvent[], how?: { again: boolean }): Promise<void>;
  /** Forgets a run. Does nothing if it was never stored. */
  remove(id: string): Promise<void>;
};
