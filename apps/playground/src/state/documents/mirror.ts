import { openDB, type DBSchema, type IDBPDatabase } from 'idb';
import type { TextMirror } from '../storage.ts';

type MirrorSchema = DBSchema & { texts: { key: string; value: string } };

/** A mirror in IndexedDB. */
export function createMirror(database = 'cueline-documents'): TextMirror {
  let opening: Promise<IDBPDatabase<MirrorSchema>> | undefined;
  const forget = (): void => void (opening = undefined);

  async function open(): Promise<IDBPDatabase<MirrorSchema>> {
    // a browser that blocks storage throws here
    return openDB<MirrorSchema>(database, 1, {
      upgrade: (opened) => void opened.createObjectStore('texts'),
      blocking(_current, _next, event) {
        (event.target as IDBDatabase).close();
        forget();
      },
      terminated: forget,
    });
  }

  function connect(): Promise<IDBPDatabase<MirrorSchema>> {
    // an opening that failed is tried again by the next read or write
    opening ??= open().catch((error: unknown) => {
      forget();
      throw error;
    });
    return opening;
  }

  return {
    async read(name) {
      return (await connect()).get('texts', name);
    },
    async write(name, text) {
      await (await connect()).put('texts', text, name);
    },
  };
}
