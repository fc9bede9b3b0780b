import type { RunEvent } from '@cueline/core';
import { openDB, type DBSchema, type IDBPDatabase, type IDBPTransaction } from 'idb';
import {
  storageBlockedError,
  storageDeniedError,
  isConnectionLost,
  openingError,
  transactionError,
} from './storage-error.ts';
import type { StoredRun } from './stored-run.ts';

/** Runs are small and rewritten with each batch; batches are written once. */
export type RunSchema = DBSchema & {
  /** `mark` names the last write, so that a writer sees whether another one wrote in between. */
  runs: { key: string; value: StoredRun & { mark: string }; indexes: { updatedAt: number } };
  batches: { key: [id: string, firstSeq: number]; value: readonly RunEvent[] };
};

/** Both stores, always: a batch and its run's record are stored together or not at all. */
const stores = ['runs', 'batches'] as const;

/** A transaction over both stores. */
export type RunTransaction<Mode extends IDBTransactionMode> = IDBPTransaction<RunSchema, typeof stores, Mode>;

/** The database behind a storage. It opens when it is first used, and again after it was closed or deleted. */
export type RunDatabase = {
  /** False on a server, and in a browser that has no IndexedDB at all. */
  exists(): boolean;
  /**
   * Does `work` in one transaction, which is undone if anything fails. If the connection is lost, `work` is
   * done once more in a new one.
   * @throws CuelineError `storage_failed`
   */
  transact<Mode extends 'readonly' | 'readwrite', Result>(
    mode: Mode,
    work: (transaction: RunTransaction<Mode>) => Promise<Result>,
  ): Promise<Result>;
};

/**
 * How long the database may take to open, in milliseconds: the browser reports nothing while it waits for another
 * tab.
 */
const OPENING_MS = 10_000;

/** The database with this name; it opens when it is first used. */
export function createRunDatabase(name: string): RunDatabase {
  let connection: Promise<IDBPDatabase<RunSchema>> | undefined;

  /** The connection. A connection that opens after the time limit is used next time. */
  function connect(): Promise<IDBPDatabase<RunSchema>> {
    connection ??= new Promise((resolve, reject) => {
      const giveUp = (): void => reject(storageBlockedError(name));
      const timer = setTimeout(giveUp, OPENING_MS);
      void (async () => {
        try {
          const database = await open(giveUp);
          connection = Promise.resolve(database);
          resolve(database);
        } catch (error) {
          connection = undefined;
          reject(openingError(name, error));
        } finally {
          clearTimeout(timer);
        }
      })();
    });
    return connection;
  }

  /** Opens the database. An opening that the browser interrupts, because site data is being cleared, is repeated. */
  async function open(onBlocked: () => void): Promise<IDBPDatabase<RunSchema>> {
    if (!exists()) throw storageDeniedError();
    try {
      return await openOnce(onBlocked);
    } catch (error) {
      if (!isConnectionLost(error)) throw error;
      return await openOnce(onBlocked);
    }
  }

  // async, so that browsers that throw here behave like those that reject
  async function openOnce(onBlocked: () => void): Promise<IDBPDatabase<RunSchema>> {
    return await openDB<RunSchema>(name, 1, {
      upgrade(database) {
        database.createObjectStore('runs', { keyPath: 'id' }).createIndex('updatedAt', 'updatedAt');
        database.createObjectStore('batches');
      },
      blocked: onBlocked,
      blocking(_current, _next, event) {
        // otherwise a tab that deletes or upgrades the database would wait for this page forever
        (event.target as IDBDatabase).close();
      },
    });
  }

  async function transact<Mode extends 'readonly' | 'readwrite', Result>(
    mode: Mode,
    work: (transaction: RunTransaction<Mode>) => Promise<Result>,
  ): Promise<Result> {
    const database = await connect();
    try {
      return await transactOn(database, mode, work);
    } catch (error) {
      // this also runs if the browser closed the connection, or if we did because the database is being deleted
      if (!isConnectionLost(error)) throw transactionError(name, error);
      database.close();
      connection = undefined;
    }
    try {
      return await transactOn(await connect(), mode, work);
    } catch (error) {
      throw transactionError(name, error);
    }
  }

  return { exists, transact };
}

function exists(): boolean {
  try {
    return typeof indexedDB === 'object' && indexedDB !== null;
  } catch {
    return true; // the database exists, and opening it will report why it cannot be used
  }
}

async function transactOn<Mode extends 'readonly' | 'readwrite', Result>(
  database: IDBPDatabase<RunSchema>,
  mode: Mode,
  work: (transaction: RunTransaction<Mode>) => Promise<Result>,
): Promise<Result> {
  // relaxed: stored once the operating system has it. A crash of the page loses nothing, and a write does not wait
  // for the disk
  const transaction = database.transaction(stores, mode, { durability: 'relaxed' });
  const [worked, done] = await Promise.allSettled([
    work(transaction).catch((error: unknown) => {
      abort(transaction);
      throw error;
    }),
    transaction.done,
  ]);
  if (worked.status === 'rejected') throw worked.reason;
  if (done.status === 'rejected') throw done.reason;
  return worked.value;
}

/** Undoes a transaction, unless that has happened already. */
function abort(transaction: { abort(): void }): void {
  try {
    transaction.abort();
  } catch {
    // it was over already
  }
}
