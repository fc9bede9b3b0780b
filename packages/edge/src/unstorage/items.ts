/** What is used of a storage of the `unstorage` package, whatever its driver. It stays the caller's. */
export type ItemStorage = {
  getItem(key: string): Promise<unknown>;
  setItem(key: string, value: { json: string }): Promise<void>;
  removeItem(key: string): Promise<void>;
  getKeys(base?: string): Promise<string[]>;
};

/** Reads and writes values as they are. */
export type Items = {
  /** Undefined where there is none, or not all of it yet. */
  read<Value>(key: string): Promise<Value | undefined>;
  write(key: string, value: unknown): Promise<void>;
  remove(key: string): Promise<void>;
  /** Those that begin with this, which may take a while. */
  keys(base: string): Promise<string[]>;
};

export function createItems(storage: ItemStorage): Items {
  return {
    async read<Value>(key: string) {
      const item = await storage.getItem(key);
      // a file that is being written is read as a piece of text, and one that cannot be read as an error
      if (typeof item !== 'object' || item === null || !('json' in item)) return undefined;
      return JSON.parse(String(item.json)) as Value;
    },
    // as text in an object, because what looks like JSON is read as it, and without some of its fields
    write: (key, value) => storage.setItem(key, { json: JSON.stringify(value) }),
    remove: (key) => storage.removeItem(key),
    keys: (base) => storage.getKeys(base),
  };
}

/** A part of a key for a text that anybody may have chosen: drivers make paths of keys, and some know no capitals. */
export async function keyOf(...texts: readonly string[]): Promise<string> {
  const bytes = new TextEncoder().encode(JSON.stringify(texts));
  const hash = new Uint8Array(await crypto.subtle.digest('SHA-256', bytes));
  return [...hash.subarray(0, 20)].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}
