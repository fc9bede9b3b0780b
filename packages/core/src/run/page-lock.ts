/** The part of the browser's Web Locks that is needed, which workers, Deno and Node have, too. */
type Locks = {
  request(
    name: string,
    options: { signal?: AbortSignal },
    callback: () => Promise<void> | void,
  ): Promise<void>;
};

const held = new Map<string, Promise<void>>();

/** Holds the lock by which other pages see that this one is there. Given back when the page goes. */
export function holdPage(page: string): Promise<void> {
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

/** True once another page of this browser has gone; false when `signal` aborts, or where pages cannot see each other. */
export async function untilPageIsGone(page: string, signal: AbortSignal): Promise<boolean> {
  const locks = lockManager();
  if (locks === undefined || signal.aborted) return false;
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
