import type { DBSchema } from 'idb';
import { createConnection, type DatabaseConnection } from '../state/documents/connection.ts';

/**
 * The tables of the database. Another version of the page may have written anything, so all values are unknown here:
 * see `rows.ts`.
 */
export type HistorySchema = DBSchema & {
  scripts: { key: string; value: unknown };
  versions: { key: string; value: unknown; indexes: { scriptId: string } };
  runs: { key: string; value: unknown };
  /** The events of a run's turn, in batches of JSON (see `repeated-texts.ts`), by the number of the first one. */
  events: { key: EventKey; value: unknown };
};

export type EventKey = [run: string, turn: number, seq: number];

export type HistoryDatabase = DatabaseConnection<HistorySchema>;

/** Thrown if the database cannot be used. `cause` says why. */
class DatabaseError extends Error {}

/** True if the database failed, and not the code that reads or writes it. */
export function isDatabaseError(error: unknown): boolean {
  return error instanceof DatabaseError || error instanceof DOMException;
}

/** How long the database may take to open, in milliseconds. */
const OPENING_MS = 8_000;

/** The database of this name. It also rejects if the browser does not open it in time. */
export function createDatabase(name = 'cueline-playground'): HistoryDatabase {
  const database = createConnection<HistorySchema>(name, (created) => {
    created.createObjectStore('scripts', { keyPath: 'id' });
    created.createObjectStore('versions', { keyPath: 'id' }).createIndex('scriptId', 'scriptId');
    created.createObjectStore('runs', { keyPath: 'id' });
    created.createObjectStore('events');
  });
  return {
    async connect() {
      let timer: ReturnType<typeof setTimeout> | undefined;
      const late = new Promise<never>((_, reject) => {
        const error = new DOMException('The database did not open in time.', 'TimeoutError');
        timer = setTimeout(() => reject(error), OPENING_MS);
      });
      try {
        return await Promise.race([database.connect(), late]);
      } catch (error) {
        // a browser without the database throws a TypeError or a ReferenceError
        if (isDatabaseError(error)) throw error;
        throw new DatabaseError('The database cannot be opened.', { cause: error });
      } finally {
        clearTimeout(timer);
      }
    },
    get connection() {
      return database.connection;
    },
  };
}

/** The keys of all events of a run, or of one of its turns from the event `seq` on. */
export function eventsOf(run: string, turn?: number, seq = 0): IDBKeyRange {
  if (turn === undefined) return IDBKeyRange.bound([run, 0, 0], [run, Infinity, Infinity]);
  return IDBKeyRange.bound([run, turn, seq], [run, turn, Infinity]);
}
