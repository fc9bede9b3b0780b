import { openDB, type DBSchema, type IDBPDatabase } from 'idb';

/** A database in IndexedDB. It opens when it is first used, and again after the browser has closed it. */
export type DatabaseConnection<Schema extends DBSchema> = {
  /** Rejects if the browser has no storage for this page; the next call tries again. */
  connect(): Promise<IDBPDatabase<Schema>>;
  /** The open database; undefined before it is open, and after it was lost. */
  readonly connection: IDBPDatabase<Schema> | undefined;
};

/** The database of this name, whose tables `upgrade` creates. */
export function createConnection<Schema extends DBSchema>(
  name: string,
  upgrade: (database: IDBPDatabase<Schema>) => void,
): DatabaseConnection<Schema> {
  let connection: IDBPDatabase<Schema> | undefined;
  let opening: Promise<IDBPDatabase<Schema>> | undefined;
  const forget = (): void => {
    connection = undefined;
    opening = undefined;
  };

  async function open(): Promise<IDBPDatabase<Schema>> {
    // a browser that blocks storage throws here
    connection = await openDB<Schema>(name, 1, {
      upgrade,
      blocking(_current, _next, event) {
        // otherwise a tab with a newer version of the page would wait for this one
        (event.target as IDBDatabase).close();
        forget();
      },
      terminated: forget,
    });
    return connection;
  }

  return {
    connect() {
      opening ??= open().catch((error: unknown) => {
        forget();
        throw error;
      });
      return opening;
    },
    get connection() {
      return connection;
    },
  };
}
