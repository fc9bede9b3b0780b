/** The members that are used of a storage of the `unstorage` package, with any driver. It belongs to the caller. */
export type ItemStorage = {
  getItem(key: string): Promise<unknown>;
  setItem(key: string, value: { json: string }): Promise<void>;
  removeItem(key: string): Promise<void>;
  getKeys(base?: string): Promise<string[]>;
};

/** Reads and writes values unchanged. */
export type ItemAccess = {
  /** Undefined if there is none, or only part of it yet. */
  read<Value>(key: string): Promise<Value | undefined>;
  /** The same for an item that only this access writes: also what it has written and has no answer for yet. */
  readOwn<Value>(key: string): Promise<Value | undefined>;
  /** Writes and removals of one item count in the order of these calls, also if the storage executes one late. */
  write(key: string, value: unknown): Promise<void>;
  /** The same for a text. */
  readText(key: string): Promise<string | undefined>;
  writeText(key: string, text: string): Promise<void>;
  remove(key: string): Promise<void>;
  /** The keys with this prefix, which may take a while. */
  keys(base: string): Promise<string[]>;
};

/** How often, and after how many milliseconds, an incomplete value is read again. */
const READ_ATTEMPTS = 5;
const READ_AGAIN_MS = 10;

export function createItemAccess(storage: ItemStorage): ItemAccess {
  /** The latest texts of the items with changes that have no answer yet; undefined for a removal. */
  const unanswered = new Map<string, { latest: string | undefined; changes: number }>();

  /** Changes an item. A change that takes long may replace a later one, which is then made again. */
  async function change(key: string, text: string | undefined): Promise<void> {
    const item = unanswered.get(key) ?? { latest: text, changes: 0 };
    unanswered.set(key, item);
    item.latest = text;
    item.changes += 1;
    try {
      let made: string | undefined;
      do {
        made = item.latest;
        // as text in an object, because a value that looks like JSON would be parsed, and lose some of its fields
        await (made === undefined ? storage.removeItem(key) : storage.setItem(key, { json: made }));
      } while (made !== item.latest);
    } finally {
      item.changes -= 1;
      if (item.changes === 0) unanswered.delete(key);
    }
  }

  async function readText(key: string): Promise<string | undefined> {
    for (let attempts = 1; ; attempts += 1) {
      const item = await storage.getItem(key);
      if (item === null || item === undefined) return undefined;
      if (typeof item === 'object' && 'json' in item) return String(item.json);
      // a file that is being written reads as a part of a text; if its writer crashed, it stays like that
      if (attempts === READ_ATTEMPTS) return undefined;
      await new Promise((resolve) => setTimeout(resolve, READ_AGAIN_MS));
    }
  }

  const parse = (text: string | undefined): unknown => (text === undefined ? undefined : JSON.parse(text));

  return {
    read: async <Value>(key: string) => parse(await readText(key)) as Value | undefined,
    readOwn: async <Value>(key: string) =>
      parse(unanswered.get(key)?.latest ?? (await readText(key))) as Value | undefined,
    write: (key, value) => change(key, JSON.stringify(value)),
    readText,
    writeText: change,
    remove: (key) => change(key, undefined),
    keys: (base) => storage.getKeys(base),
  };
}

/** A part of a key for a text of any origin: drivers make paths of keys, and some ignore upper case. */
export async function itemKey(...texts: readonly string[]): Promise<string> {
  const bytes = new TextEncoder().encode(JSON.stringify(texts));
  const hash = new Uint8Array(await crypto.subtle.digest('SHA-256', bytes));
  return [...hash.subarray(0, 20)].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}
