import type { DBSchema } from 'idb';
import type { TextMirror } from '../storage.ts';
import { createConnection } from './connection.ts';

type MirrorSchema = DBSchema & { texts: { key: string; value: string } };

export function createMirror(database = 'cueline-documents'): TextMirror {
  const { connect } = createConnection<MirrorSchema>(
    database,
    (opened) => void opened.createObjectStore('texts'),
  );
  return {
    async read(name) {
      return (await connect()).get('texts', name);
    },
    async write(name, text) {
      await (await connect()).put('texts', text, name);
    },
  };
}
