/** The part of the browser's Web Locks that is needed, which workers, Deno and Node have, too. */
type Locks = {
  request(
    name: string,
    options: { signal?: AbortSignal },
    callback: () => Promise<void> | void,
  ): Promise<void>;
};

/** The part of `localStorage` that is needed. */
type PageNotes = Record<string, string> & { setItem(key: string, value: string): void };

/** How long a browser remembers a page of its own, in ms: longer than any call waits that has a time limit. */
const REMEMBERED_MS = 30 * 24 * 60 * 60 * 1_000;

const held = new Map<string, Promise<void>>();

/** Holds the lock by which other pages see that this one is there. Given back when the page goes. */
export function holdPage(page: string): Promise<void> {
  if (!held.has(page)) notePage(page);
  const locks = lockManager();
  if (locks === undefined) return Promise.resolve();
  const holding =
    held.get(page) ??
    new Promise<void>((resolve) => {
      // never given back by itself; where it cannot be had, the page works without
      locks
        .request(nameOf(page), {}, () => {
          resolve();
          return new Promise<void>(() => {});
        })
        .catch(() => resolve());
    });
  held.set(page, holding);
  return holding;
}

/**
 * True once another page of this browser has gone; false when `signal` aborts, or where pages cannot see each other: one
 * of another browser holds its lock there.
 */
export async function untilPageIsGone(page: string, signal: AbortSignal): Promise<boolean> {
  const locks = lockManager();
  if (locks === undefined || signal.aborted || isForeignPage(page)) return false;
  try {
    await locks.request(nameOf(page), { signal }, () => {});
    return true;
  } catch {
    return false;
  }
}

function nameOf(page: string): string {
  return `cueline:${page}`;
}

/** Missing in pages without https. */
function lockManager(): Locks | undefined {
  return (globalThis as { navigator?: { locks?: Locks } }).navigator?.locks;
}

/** Leaves a note in this browser that the page is one of its own, and removes old ones. */
function notePage(page: string): void {
  try {
    const notes = pageNotes();
    for (const [key, notedAt] of Object.entries(notes)) {
      if (key.startsWith(nameOf('page-')) && Number(notedAt) < Date.now() - REMEMBERED_MS) delete notes[key];
    }
    notes.setItem(nameOf(page), String(Date.now()));
  } catch {
    // without the note, another page of this browser leaves the call to its time limit
  }
}

/** Whether a page is not one of this browser. Where there are no notes, such as in a worker, none counts as elsewhere. */
function isForeignPage(page: string): boolean {
  try {
    return !Object.hasOwn(pageNotes(), nameOf(page));
  } catch {
    return false;
  }
}

/** @throws where there is no storage, or it may not be used */
function pageNotes(): PageNotes {
  return (globalThis as unknown as { localStorage: PageNotes }).localStorage;
}
