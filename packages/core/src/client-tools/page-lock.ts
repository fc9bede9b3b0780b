/** The part of the browser's Web Locks that this file uses. Workers, Deno and Node have it, too. */
type Locks = {
  request(
    name: string,
    options: { signal?: AbortSignal },
    callback: () => Promise<void> | void,
  ): Promise<void>;
};

/** The part of `localStorage` that this file uses. */
type PageNotes = Record<string, string> & { setItem(key: string, value: string): void };

/** How long a browser remembers its own pages, in milliseconds: longer than any call with a time limit waits. */
const REMEMBERED_MS = 30 * 24 * 60 * 60 * 1_000;

const held = new Map<string, Promise<void>>();

/** Holds a lock that shows other pages that this page exists. The browser releases it when the page goes. */
export function holdPage(page: string): Promise<void> {
  if (!held.has(page)) notePage(page);
  const locks = lockManager();
  if (locks === undefined) return Promise.resolve();
  const holding =
    held.get(page) ??
    new Promise<void>((resolve) => {
      // the page never releases it; without locks, the page still works
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
 * Returns true once another page of this browser has closed. Returns false when `signal` aborts, and if pages
 * cannot see each other, because the other page's browser holds its lock elsewhere.
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

/** Undefined in pages without https. In happy-dom, `navigator.locks` is null. */
function lockManager(): Locks | undefined {
  return (globalThis as { navigator?: { locks?: Locks | null } }).navigator?.locks ?? undefined;
}

/** Notes in this browser that the page is one of its own, and removes old notes. */
function notePage(page: string): void {
  try {
    const notes = pageNotes();
    for (const [key, notedAt] of Object.entries(notes)) {
      if (key.startsWith(nameOf('page-')) && Number(notedAt) < Date.now() - REMEMBERED_MS) delete notes[key];
    }
    notes.setItem(nameOf(page), String(Date.now()));
  } catch {
    // without the note, another page of this browser waits for the call's time limit
  }
}

/**
 * True for a page of another browser. Without notes, such as in a worker, every page counts as one of this browser.
 */
function isForeignPage(page: string): boolean {
  try {
    return !Object.hasOwn(pageNotes(), nameOf(page));
  } catch {
    return false;
  }
}

/** @throws if there is no storage, or if the page may not use it */
function pageNotes(): PageNotes {
  return (globalThis as unknown as { localStorage: PageNotes }).localStorage;
}
