/** The delete key of a share that was made here. */
export type DeleteKey = { id: string; key: string; expiresAt: number };

const NAME = 'cueline-share-keys';
/** The most keys that are kept: the oldest ones are removed. */
const MAX_KEYS = 200;

/** Used while the page is open, if the browser stores nothing. */
let known: readonly DeleteKey[] = [];

/** Stores the delete key of a share in this browser, until the share expires. */
export function keepDeleteKey(given: DeleteKey): void {
  write([...read().filter(({ id }) => id !== given.id), given]);
}

/** The delete key of a share; undefined if the share was not made in this browser. */
export function deleteKeyOf(id: string): string | undefined {
  return read().find((entry) => entry.id === id)?.key;
}

/** Removes the delete key of a share. */
export function dropDeleteKey(id: string): void {
  write(read().filter((entry) => entry.id !== id));
}

/** Reads the storage each time, because another tab may have written to it. */
function read(): readonly DeleteKey[] {
  let stored: unknown;
  try {
    stored = JSON.parse(localStorage.getItem(NAME) ?? '[]');
  } catch {
    // nothing valid is stored
  }
  const kept = Array.isArray(stored) ? stored.filter(isDeleteKey) : [];
  const others = known.filter(({ id }) => kept.every((entry) => entry.id !== id));
  return [...others, ...kept].filter(({ expiresAt }) => expiresAt > Date.now());
}

function write(keys: readonly DeleteKey[]): void {
  const kept = keys.slice(-MAX_KEYS);
  try {
    localStorage.setItem(NAME, JSON.stringify(kept));
    known = [];
  } catch {
    known = kept;
  }
}

function isDeleteKey(value: unknown): value is DeleteKey {
  const { id, key, expiresAt } = (value ?? {}) as Partial<DeleteKey>;
  return typeof id === 'string' && typeof key === 'string' && typeof expiresAt === 'number';
}
