import { openDB, type DBSchema, type IDBPDatabase } from 'idb';

/**
 * The tables of the database. Another version of the page may have written anything, so all values are unknown here: see
 * `rows.ts`.
 */
export type HistorySchema = DBSchema & {
  scripts: { key: string; value: unknown };
  versions: { key: string; value: unknown; indexes: { scriptId: string } };
  runs: { key: string; value: unknown };
  /** The events of a run's turn, in batches of JSON (see `repeated-texts.ts`), by the number of the first one. */
  events: { key: EventKey; value: unknown };
};

/** The key of a batch of events. */
export type EventKey = [run: string, turn: number, seq: number];

export type Connection = IDBPDatabase<HistorySchema>;

/** The database; it opens when it is first used, and again after the browser has closed it. */
export type HistoryDatabase = {
  /** Rejects if the browser has no storage for this page, or does not open it in time. */
  connect(): Promise<Connection>;
  /** The open connection; undefined before it is open, and after it was lost. */
  readonly connection: Connection | undefined;
};

/** Thrown if the database cannot be used. `cause` says why. */
class DatabaseError extends Error {}

/** True if the database failed, and not the code that reads or writes it. */
export function isDatabaseError(error: unknown): boolean {
  return error instanceof DatabaseError || error instanceof DOMException;
}

/** How long the database may take to open, in milliseconds. */
const OPENING_MS = 8_000;

/** The database of this name. */
export function createDatabase(name = 'cueline-playground'): HistoryDatabase {
  let connection: Connection | undefined;
  let opening: Promise<Connection> | undefined;
  const forget = (): void => {
    connection = undefined;
    opening = undefined;
  };

  async function open(): Promise<Connection> {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(new DatabaseError('The database did not open in time.')), OPENING_MS);
    });
    try {
      // a browser that blocks storage throws here
      const opened = openDB<HistorySchema>(name, 1, {
        upgrade(database) {
          database.createObjectStore('scripts', { keyPath: 'id' });
          database.createObjectStore('versions', { keyPath: 'id' }).createIndex('scriptId', 'scriptId');
          database.createObjectStore('runs', { keyPath: 'id' });
          database.createObjectStore('events');
        },
        blocking(_current, _next, event) {
          // otherwise a tab with a newer version of the page would wait for this one
          (event.target as IDBDatabase).close();
          forget();
        },
        terminated: forget,
      });
      connection = await Promise.race([opened, late]);
      return connection;
    } finally {
      clearTimeout(timer);
    }
  }

  return {
    connect() {
      opening ??= open().catch((error: unknown) => {
        forget();
        // a browser without the database throws a TypeError or a ReferenceError
        throw isDatabaseError(error)
          ? error
          : new DatabaseError('The database cannot be opened.', { cause: error });
      });
      return opening;
    },
    get connection() {
      return connection;
    },
  };
}

/** The keys of all events of a run, or of one of its turns from the event `seq` on. */
export function eventsOf(run: string, turn?: number, seq = 0): IDBKeyRange {
  if (turn === undefined) return IDBKeyRange.bound([run, 0, 0], [run, Infinity, Infinity]);
  return IDBKeyRange.bound([run, turn, seq], [run, turn, Infinity]);
}
