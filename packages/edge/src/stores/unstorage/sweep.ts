import type { ItemAccess } from './item-access.ts';

/** An entry with an expiry time, in ms since 1970. */
export type Expiring = { expiresAt: number };

/**
 * Removes everything that has expired: runs, whose items begin with `{runs}{run}:` and one of which is called
 * `run`, and the entries of `singles`.
 */
export async function sweep(
  items: ItemAccess,
  runs: string,
  singles: string,
  now: () => number,
): Promise<void> {
  const keys = await items.keys(runs);
  for (const key of keys.filter((one) => one.endsWith(':run'))) {
    if (!(await hasExpired(items, key, now))) continue;
    const run = key.slice(0, -'run'.length);
    // last, the items by which they are found
    for (const other of keys) if (other.startsWith(run) && other !== key) await items.remove(other);
    await items.remove(key);
  }
  await sweepSingles(items, singles, now);
}

/** Removes the expired items one by one. */
export async function sweepSingles(items: ItemAccess, base: string, now: () => number): Promise<void> {
  for (const key of await items.keys(base)) if (await hasExpired(items, key, now)) await items.remove(key);
}

async function hasExpired(items: ItemAccess, key: string, now: () => number): Promise<boolean> {
  const item = await items.read<Expiring>(key);
  return item !== undefined && now() >= item.expiresAt;
}

/** Does `work` at most once in `ms` milliseconds, without delaying the caller. A failure is retried another time. */
export function atMostEvery(ms: number, work: () => Promise<void>): () => void {
  let next = 0;
  return () => {
    if (performance.now() < next) return;
    next = performance.now() + ms;
    work().catch(() => {});
  };
}
