import { CuelineError } from '../base/errors.ts';

/** Where the notes of the `memory` plugin are stored. Each method may return a promise. */
export type MemoryStore = {
  /** Returns the note of a key; undefined or null if there is none. */
  get(key: string): Answer<string | null | undefined>;
  set(key: string, value: string): unknown;
  /** Deletes a note. Does nothing for an unknown key. */
  delete(key: string): unknown;
  /** Returns the keys of all notes. */
  list(): Answer<Iterable<string>>;
};

type Answer<Value> = Value | PromiseLike<Value>;

/** The part of the browser's `Storage` that {@link webStorage} needs. */
export type WebStorage = {
  readonly length: number;
  key(index: number): string | null;
  getItem(key: string): string | null;
  setItem(key: string, value: string): void;
  removeItem(key: string): void;
};

/** Creates a store in memory, which is gone with the page or the process. */
export function inMemory(): MemoryStore {
  const notes = new Map<string, string>();
  return {
    get: (key) => notes.get(key),
    set: (key, value) => notes.set(key, value),
    delete: (key) => notes.delete(key),
    list: () => notes.keys(),
  };
}

/**
 * Creates a store in `localStorage` or `sessionStorage`. It uses only keys that begin with `prefix`.
 *
 * @example memory({ store: webStorage(localStorage) })
 */
export function webStorage(storage: WebStorage, prefix = 'cueline:'): MemoryStore {
  return {
    get: (key) => storage.getItem(prefix + key),
    set: (key, value) => storage.setItem(prefix + key, value),
    delete: (key) => storage.removeItem(prefix + key),
    list() {
      const names = Array.from({ length: storage.length }, (_, index) => storage.key(index) ?? '');
      return names.flatMap((name) => (name.startsWith(prefix) ? name.slice(prefix.length) : []));
    },
  };
}

/** @throws CuelineError `invalid_options` for anything that is not a store */
export function checkStore(store: MemoryStore): MemoryStore {
  const missing = (['get', 'set', 'delete', 'list'] as const).find(
    (method) => typeof store?.[method] !== 'function',
  );
  if (missing === undefined) return store;
  throw new CuelineError(
    'invalid_options',
    `The store of the memory plugin has no ${missing}. Write memory({ store: { get, set, delete, list } }), or memory({ store: webStorage(localStorage) }).`,
  );
}
