import type { RunEvent } from '../log/events.ts';

/** Where runs are kept while the page is away. It may fail: the run then goes on in memory, and its state says so. */
export type RunStorage = {
  /** Every event of the run's last start, in their order; undefined where the run was never stored. */
  load(id: string): Promise<readonly RunEvent[] | undefined>;
  /**
   * Adds a batch of events, which follow each other and those that are stored; a batch whose first `seq` is 0 takes the
   * place of all that was stored. Batches of one run are given one after the other.
   * @throws CuelineError `storage_failed` where nothing more can be stored, or where somebody else stores this run too
   */
  append(id: string, events: readonly RunEvent[]): Promise<void>;
  /** Forgets a run. Does nothing where it was never stored. */
  remove(id: string): Promise<void>;
};
