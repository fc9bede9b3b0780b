import type { RunTransaction } from './run-database.ts';

/** The keys of a run's batches that begin at `seq` or later. */
export function batchesOf(id: string, seq = 0): IDBKeyRange {
  return IDBKeyRange.bound([id, seq], [id, Infinity]);
}

/** Removes a run and its events. */
export async function forgetRun(transaction: RunTransaction<'readwrite'>, id: string): Promise<void> {
  await transaction.objectStore('batches').delete(batchesOf(id));
  await transaction.objectStore('runs').delete(id);
}

/** Removes the oldest runs until `maxRuns` are left; `kept` always stays. */
export async function forgetOldest(
  transaction: RunTransaction<'readwrite'>,
  maxRuns: number,
  kept: string,
): Promise<void> {
  const runs = transaction.objectStore('runs');
  const tooMany = (await runs.count()) - maxRuns;
  if (tooMany <= 0) return;
  const oldest = await runs.index('updatedAt').getAllKeys(null, tooMany + 1);
  for (const id of oldest.filter((id) => id !== kept).slice(0, tooMany)) await forgetRun(transaction, id);
}
