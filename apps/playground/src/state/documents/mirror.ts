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

  return {
    async read(name) {
      return (await (opening ??= open())).get('texts', name);
    },
    async write(name, text) {
      await (await (opening ??= open())).put('texts', text, name);
    },
  };
}
