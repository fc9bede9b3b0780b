import { newId } from '../state/new-id.ts';
import { copyName, MAX_NAME_LENGTH, nameOf, type OpenText } from '../state/open-script.ts';
import type { HistoryDatabase } from './database.ts';
import { readAll, readScript, readVersion, type ScriptRow, type VersionRow } from './rows.ts';

/** How many versions of a script are kept. */
export const MAX_VERSIONS = 50;

/**
 * The result of saving a script. `copied`: another tab has changed it, so the text became a separate script.
 * `outdated`: the page that wrote the text has stored a later one, which stays.
 */
export type SaveResult = { kind: 'saved' | 'copied' | 'outdated'; script: ScriptRow };

/** A removed script, with the rows that restore it. */
export type RemovedScript = {
  readonly id: string;
  /** Undefined if the script was not stored. */
  readonly value: unknown;
  readonly versions: readonly unknown[];
};

/** The user's scripts in the database. Every method rejects if the database cannot be used. */
export type ScriptStore = {
  /** All readable scripts, the last changed first, and whether there are others. */
  list(): Promise<{ rows: ScriptRow[]; hasUnreadable: boolean }>;
  get(id: string): Promise<ScriptRow | undefined>;
  /**
   * Saves a text that continues the revision of `open`, and never overwrites the text of another tab, or a later text
   * of the same page. The name of `open` is only for a script that is not stored yet.
   */
  save(script: OpenText): Promise<SaveResult>;
  rename(id: string, name: string): Promise<void>;
  remove(id: string): Promise<RemovedScript>;
  /** Restores a removed script: as a copy if another tab has stored a newer text under its id. Resolves to the id. */
  restore(removed: RemovedScript): Promise<string>;
  /** The versions of a script, the latest first. */
  versions(id: string): Promise<VersionRow[]>;
  /** Stores a text as a version, unless the latest version has the same text. */
  keepVersion(id: string, text: string, reason: VersionRow['reason']): Promise<void>;
};

export function createScriptStore(database: HistoryDatabase, now: () => number = Date.now): ScriptStore {
  return {
    async list() {
      const values = await (await database.connect()).getAll('scripts');
      const rows = readAll(values, readScript);
      return {
        rows: rows.toSorted((one, other) => other.updatedOn - one.updatedOn),
        hasUnreadable: rows.length < values.length,
      };
    },

    async get(id) {
      const db = await database.connect();
      return readScript(await db.get('scripts', id));
    },

    async save({ open, text }) {
      const db = await database.connect();
      const transaction = db.transaction('scripts', 'readwrite');
      const stored: unknown = await transaction.store.get(open.id);
      const before = readScript(stored);
      // a row from another version of the page is not overwritten either
      const isForeign = stored !== undefined && before === undefined;
      const isOthers = before !== undefined && before.revision !== open.revision && before.text !== text;
      // a browser that crashes may have remembered an earlier text than the page had stored
      const isOutdated = open.writer !== undefined && before?.writer === open.writer;
      if (isOthers && isOutdated) {
        await transaction.done;
        return { kind: 'outdated', script: before };
      }
      const row = nextRow(before, { open, text }, now());
      if (isForeign || isOthers) {
        const copy = copyOf(row);
        await transaction.store.put(copy);
        await transaction.done;
        return { kind: 'copied', script: copy };
      }
      await transaction.store.put(row);
      await transaction.done;
      return { kind: 'saved', script: row };
    },

    async rename(id, name) {
      const db = await database.connect();
      const transaction = db.transaction('scripts', 'readwrite');
      const row = readScript(await transaction.store.get(id));
      if (row !== undefined) await transaction.store.put({ ...row, name, updatedOn: now() });
      await transaction.done;
    },

    async remove(id) {
      const db = await database.connect();
      const transaction = db.transaction(['scripts', 'versions'], 'readwrite');
      const scripts = transaction.objectStore('scripts');
      const versions = transaction.objectStore('versions');
      const value: unknown = await scripts.get(id);
      const old: unknown[] = await versions.index('scriptId').getAll(id);
      await scripts.delete(id);
      for (const key of await versions.index('scriptId').getAllKeys(id)) await versions.delete(key);
      await transaction.done;
      return { id, value, versions: old };
    },

    async restore(removed) {
      const db = await database.connect();
      const transaction = db.transaction(['scripts', 'versions'], 'readwrite');
      const scripts = transaction.objectStore('scripts');
      const stored: unknown = await scripts.get(removed.id);
      const row = readScript(removed.value);
      const isNewer = stored !== undefined && readScript(stored)?.text !== row?.text;
      const copy = isNewer && row !== undefined ? copyOf(row) : undefined;
      if (copy !== undefined) await scripts.put(copy);
      else if (stored === undefined && removed.value !== undefined) await scripts.put(removed.value);
      for (const version of removed.versions) await transaction.objectStore('versions').put(version);
      await transaction.done;
      return copy?.id ?? removed.id;
    },

    async versions(id) {
      const db = await database.connect();
      return latestFirst(await db.getAllFromIndex('versions', 'scriptId', id));
    },

    async keepVersion(id, text, reason) {
      const db = await database.connect();
      const transaction = db.transaction('versions', 'readwrite');
      const versions = latestFirst(await transaction.store.index('scriptId').getAll(id));
      if (versions[0]?.text !== text) {
        const savedOn = Math.max(now(), (versions[0]?.savedOn ?? 0) + 1);
        const version: VersionRow = { id: newId(), scriptId: id, text, savedOn, reason };
        await transaction.store.put(version);
        for (const old of versions.slice(MAX_VERSIONS - 1)) await transaction.store.delete(old.id);
      }
      await transaction.done;
    },
  };
}

/** Returns the row that stores a text which continues the one of `before`. */
function nextRow(before: ScriptRow | undefined, { open, text }: OpenText, updatedOn: number): ScriptRow {
  const { id, origin, writer } = open;
  // only a rename changes the name of a stored script
  const name = before === undefined ? open.name : before.name;
  return {
    id,
    ...(name === undefined ? {} : { name: name.slice(0, MAX_NAME_LENGTH) }),
    text,
    origin,
    revision: (before?.revision ?? open.revision) + (before?.text === text ? 0 : 1),
    updatedOn,
    ...(writer === undefined ? {} : { writer }),
  };
}

function copyOf(row: ScriptRow): ScriptRow {
  const name = copyName(nameOf({ open: { ...row, kept: true }, text: row.text }));
  return { ...row, id: newId(), name, revision: 1 };
}

function latestFirst(values: readonly unknown[]): VersionRow[] {
  return readAll(values, readVersion).toSorted((one, other) => other.savedOn - one.savedOn);
}
