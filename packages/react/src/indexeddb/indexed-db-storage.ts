import { CuelineError, type RunEvent, type RunStorage } from '@cueline/core';
import { batchesOf, forgetOldest, forgetRun } from './forget-runs.ts';
import { createRunDatabase } from './run-database.ts';
import { createRunLocks } from './run-locks.ts';
import { storageDeniedError, eventGapError, runForgottenError, otherWriterError } from './storage-error.ts';
import { describeRun, follows, consecutiveLength, type StoredRun } from './stored-run.ts';

export type { StoredRun } from './stored-run.ts';

/** The options of {@link indexedDbStorage}. */
export type IndexedDbStorageOptions = {
  /** Name of the database; default `cueline`. Storages with the same name share their runs. */
  databaseName?: string | undefined;
  /**
   * How many runs are kept, default 100. A start beyond that removes the runs that were written to least recently.
   */
  maxRuns?: number | undefined;
};

/** A {@link RunStorage} that can also list its runs. */
export type IndexedDbStorage = RunStorage & {
  /** Every stored run, most recently written first. */
  list(): Promise<StoredRun[]>;
  /** Removes every run. */
  clear(): Promise<void>;
};

/** What this storage knows of a run: the last write that it saw, and how many events the next batch can follow. */
type KnownRun = { mark: string; events: number };

/** A run that this storage cannot continue, only start anew: no write has this mark. */
const lost: KnownRun = { mark: '', events: 0 };

/** A run whose start was not stored: the log under its id belongs to another start. */
const unstored: KnownRun = { mark: '', events: 0 };

/**
 * Keeps runs in the browser's IndexedDB, in pages and in workers. Create it once, outside of components; it
 * opens nothing before it is used. Without IndexedDB, as on a server, it loads and stores nothing. Tabs that
 * show the same run follow the tab that works on it.
 *
 * Calls take effect in the order in which they are made. They reject with `storage_failed`, and
 * `details.reason` is a {@link StorageFailure}: no space, no permission, or another tab that writes to the same
 * run.
 *
 * @throws CuelineError `invalid_options` for an option that does not exist, or if `maxRuns` is not a whole number of at
 * least 1
 * @example
 * const storage = indexedDbStorage({ maxRuns: 20 });
 * for (const { id, name } of await storage.list()) console.log(id, name);
 */
export function indexedDbStorage(options: IndexedDbStorageOptions = {}): IndexedDbStorage {
  const runs = new StoredLogs(options);
  return {
    // on a server, runs of one name belong to different users
    get scope() {
      return runs.database.exists() ? `indexeddb:${runs.databaseName}` : undefined;
    },
    load: (id) => runs.inTurn(() => runs.load(id)),
    append(id, events, { again } = { again: false }) {
      const batch = [...events]; // copied now, because the write may have to wait
      return runs.inTurn(() => runs.append(id, batch, again));
    },
    remove: (id) => runs.inTurn(() => runs.remove(id)),
    list: () => runs.inTurn(runs.list),
    clear: () => runs.inTurn(runs.clear),
  };
}

const optionNames: readonly string[] = ['maxRuns', 'databaseName'];

/** The runs of one database, read and written one after the other. */
class StoredLogs {
  readonly databaseName;
  readonly #maxRuns;
  readonly database;
  readonly #locks;
  readonly #seen = new Map<string, KnownRun>();
  /** The time of each start that could not be stored. */
  readonly #failedAt = new Map<string, number>();
  #writer: string | undefined;
  #writes = 0;
  #last: Promise<unknown> = Promise.resolve();

  readonly list = async (): Promise<StoredRun[]> => {
    if (!this.database.exists()) return [];
    const runs = await this.database.transact('readonly', (transaction) =>
      transaction.objectStore('runs').index('updatedAt').getAll(),
    );
    return runs.toReversed().map(({ mark: _mark, ...run }) => run);
  };

  readonly clear = async (): Promise<void> => {
    if (!this.database.exists()) return;
    await this.database.transact('readwrite', async (transaction) => {
      await transaction.objectStore('runs').clear();
      await transaction.objectStore('batches').clear();
    });
  };

  constructor(options: IndexedDbStorageOptions = {}) {
    const unknown = Object.keys(options).find((name) => !optionNames.includes(name));
    if (unknown !== undefined) {
      throw new CuelineError(
        'invalid_options',
        `indexedDbStorage has no "${unknown}". There are: ${optionNames.join(', ')}.`,
      );
    }
    this.databaseName = options.databaseName ?? 'cueline';
    this.#maxRuns = options.maxRuns ?? 100;
    if (!(this.#maxRuns === Infinity || (Number.isInteger(this.#maxRuns) && this.#maxRuns > 0))) {
      throw new CuelineError(
        'invalid_options',
        `indexedDbStorage was given maxRuns ${String(this.#maxRuns)}. Give a whole number of at least 1, or Infinity.`,
      );
    }
    this.database = createRunDatabase(this.databaseName);
    this.#locks = createRunLocks(this.databaseName);
  }

  /** Does `work` after all earlier work, whatever its outcome. */
  inTurn<Result>(work: () => Promise<Result>): Promise<Result> {
    const result = this.#last.then(work, work);
    this.#last = result;
    return result;
  }

  async load(id: string): Promise<readonly RunEvent[] | undefined> {
    if (!this.database.exists()) return undefined;
    const found = await this.database.transact('readonly', async (transaction) => {
      const run = await transaction.objectStore('runs').get(id);
      if (run === undefined) return undefined;
      const batches = await transaction.objectStore('batches').getAll(batchesOf(id));
      return { mark: run.mark, batches };
    });
    if (found === undefined) {
      this.#seen.set(id, lost);
      return undefined;
    }
    this.#seen.set(id, { mark: found.mark, events: consecutiveLength(found.batches) });
    const events = found.batches.flat();
    return events.length === 0 ? undefined : events;
  }

  async append(id: string, batch: readonly RunEvent[], again: boolean): Promise<void> {
    const seq = batch[0]?.seq;
    if (seq === undefined) return;
    if (!follows(batch, seq)) throw eventGapError(id, seq);
    if (!this.database.exists()) throw storageDeniedError();
    // created here, because some servers have no random numbers while a module loads
    this.#writer ??= crypto.getRandomValues(new Uint32Array(4)).join('-');
    const mark = `${this.#writer}:${(this.#writes += 1)}`;
    try {
      // a run that is in progress in another tab looks interrupted here. A start takes the run from that tab, but only
      // at the moment of the start, and not when it is stored later
      if (!(await this.#locks.take(id, seq === 0 && !again))) throw otherWriterError(id);
      await this.database.transact('readwrite', async (transaction) => {
        const runs = transaction.objectStore('runs');
        const batches = transaction.objectStore('batches');
        const stored = await runs.get(id);
        if (stored?.mark === mark) return; // the write succeeded, and only the connection was lost before its answer
        if (seq > 0) this.#checkTurn(id, seq, stored);
        else if (again && stored !== undefined && stored.updatedAt >= (this.#failedAt.get(id) ?? Infinity)) {
          if (!stored.mark.startsWith(`${this.#writer}:`)) throw otherWriterError(id);
        }
        // replaces the log of an earlier start, or the events after a gap
        if (seq < (stored?.events ?? Infinity)) await batches.delete(batchesOf(id, seq));
        await batches.put(batch, [id, seq]);
        await runs.put({ ...describeRun(id, batch, stored, Date.now()), mark });
        if (seq === 0) await forgetOldest(transaction, this.#maxRuns, id);
      });
    } catch (error) {
      this.#locks.release(id);
      if (seq === 0 && !again) this.#failedAt.set(id, Date.now());
      // otherwise a later batch might fit behind another tab's events by chance
      if (seq === 0) this.#seen.set(id, unstored);
      else if (!this.#seen.has(id)) this.#seen.set(id, lost);
      throw error;
    }
    this.#seen.set(id, { mark, events: seq + batch.length });
    if (batch.at(-1)?.type === 'run-end') this.#locks.release(id);
  }

  async remove(id: string): Promise<void> {
    if (!this.database.exists()) return;
    await this.database.transact('readwrite', (transaction) => forgetRun(transaction, id));
  }

  /** Throws if a batch that begins with `seq` must not follow the stored events. */
  #checkTurn(id: string, seq: number, stored: KnownRun | undefined): void {
    const known = this.#seen.get(id);
    if (known === unstored) throw eventGapError(id, 0);
    if (stored === undefined) throw runForgottenError(id);
    if (known === undefined ? stored.events !== seq : known.mark !== stored.mark) throw otherWriterError(id);
    if (known !== undefined && known.events !== seq) throw eventGapError(id, known.events);
  }
}
