/** What deletes a share that was made here. */
export type DeleteKey = { id: string; key: string; expiresAt: number };

const NAME = 'cueline-share-keys';
/** More are never kept: the oldest go. */
const MOST = 200;

/** For as long as the page is open, where the browser keeps nothing. */
let known: readonly DeleteKey[] = [];

/** Remembers in this browser what deletes a share, until the share expires. */
export function keepDeleteKey(given: DeleteKey): void {
  write([...read().filter(({ id }) => id !== given.id), given]);
}

/** What deletes a share; undefined where it was not made in this browser. */
export function deleteKeyOf(id: string): string | undefined {
  return read().find((entry) => entry.id === id)?.key;
}

/** Forgets what deletes a share. */
export function dropDeleteKey(id: string): void {
  write(read().filter((entry) => entry.id !== id));
}

/** Anew each time, since another tab may have written. */
function read(): readonly DeleteKey[] {
  let stored: unknown;
  try {
    stored = JSON.parse(localStorage.getItem(NAME) ?? '[]');
  } catch {
    // nothing is kept, or something else
  }
  const kept = Array.isArray(stored) ? stored.filter(isDeleteKey) : [];
  const others = known.filter(({ id }) => kept.every((entry) => entry.id !== id));
  return [...others, ...kept].filter(({ expiresAt }) => expiresAt > Date.now());
}

function write(keys: readonly DeleteKey[]): void {
  const kept = keys.slice(-MOST);
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
