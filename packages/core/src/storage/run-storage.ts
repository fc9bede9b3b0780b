import type { RunEvent } from '../log/events.ts';

/** Where runs are kept while the page is away. It may fail: the run then goes on in memory, and its state says so. */
export type RunStorage = {
  /**
   * Set where other tabs of the browser have the same runs: the same name in each of them, such as that of the database.
   * One tab at a time then works on a run, and the others follow it, where the browser has locks and channels between tabs.
   */
  readonly scope?: string | undefined;
  /**
   * Every event of the run's last start, in their order; undefined where the run was never stored. What cannot be read of
   * them is cut off, with what follows it, and the run's `storageError` says so.
   */
  load(id: string): Promise<readonly RunEvent[] | undefined>;
  /**
   * Adds a batch of events, which follow each other and those that are stored; a batch whose first `seq` is 0 takes the
   * place of all that was stored. Batches of one run are given one after the other. What it throws is the run's
   * `storageError`, and the batch is given again after a while (`again`), together with what came after it: what is stored
   * of these events already is to be replaced.
   * @throws CuelineError `storage_failed`, with a `details.reason` of `denied`, `foreign`, `other_tab`, `gone` or `gap`
   * where it is of no use to try again: the rest of that log is not stored then
   */
  append(id: string, events: readonly RunEvent[], how?: { again: boolean }): Promise<void>;
  /** Forgets a run. Does nothing where it was never stored. */
  remove(id: string): Promise<void>;
};
