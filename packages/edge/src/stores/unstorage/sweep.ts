import type { ItemAccess } from './items.ts';

/** Something that is kept for a time, in ms since 1970. */
export type Expiring = { expiresAt: number };

/**
 * Removes everything that has expired: the runs, whose items begin with `{runs}{run}:` and one of which is called
 * `run`, and what is in `singles`.
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
    // last what they are found by
    for (const other of keys) if (other.startsWith(run) && other !== key) await items.remove(other);
    await items.remove(key);
  }
  await sweepSingles(items, singles, now);
}

/** Removes the items that have expired, each by itself. */
export async function sweepSingles(items: ItemAccess, base: string, now: () => number): Promise<void> {
  for (const key of await items.keys(base)) if (await hasExpired(items, key, now)) await items.remove(key);
}

async function hasExpired(items: ItemAccess, key: string, now: () => number): Promise<boolean> {
  const item = await items.read<Expiring>(key);
  return item !== undefined && now() >= item.expiresAt;
}

/** Does it at most once in so many ms, while whoever asks goes on. What fails is tried again another time. */
export function atMostEvery(ms: number, work: () => Promise<void>): () => void {
  let next = 0;
  return () => {
    if (performance.now() < next) return;
    next = performance.now() + ms;
    work().catch(() => {});
  };
}
