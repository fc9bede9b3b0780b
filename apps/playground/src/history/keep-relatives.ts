import { keepSession } from '../forks/store.ts';
import type { RunSession } from '../state/store.ts';
import type { RunRow } from './rows.ts';

/** How many runs of a tree are opened with one of them. */
const MOST_RELATIVES = 20;

/** The rows of the tree that a run belongs to, without the run itself, in the order in which they started. */
export function relativesOf(id: string, rows: readonly RunRow[]): RunRow[] {
  const parents = new Map(rows.map((row) => [row.id, row.parent?.id]));
  const rootOf = (of: string): string => {
    const seen = new Set([of]);
    for (;;) {
      const parent = parents.get(of);
      // a parent may have been deleted, and a damaged row may name itself
      if (parent === undefined || !parents.has(parent) || seen.has(parent)) return of;
      seen.add(parent);
      of = parent;
    }
  };
  const root = rootOf(id);
  return rows
    .filter((row) => row.id !== id && row.hasLog && rootOf(row.id) === root)
    .toSorted((a, b) => a.startedOn - b.startedOn);
}

/** Opens the stored runs of the tree of `session`, so that the page shows the tree. One that cannot be opened is left out. */
export async function keepRelatives(
  session: RunSession,
  rows: readonly RunRow[],
  open: (id: string) => Promise<RunSession | { problem: string }>,
): Promise<void> {
  const relatives = relativesOf(session.id, rows);
  if (relatives.length === 0) return;
  const own = rows.find(({ id }) => id === session.id);
  const opened: [RunSession, number][] = own === undefined ? [] : [[session, own.startedOn]];
  for (const { id, startedOn } of relatives.slice(-MOST_RELATIVES)) {
    const relative = await open(id);
    if (!('problem' in relative)) opened.push([relative, startedOn]);
  }
  for (const [one, startedOn] of opened.toSorted((a, b) => a[1] - b[1])) keepSession(one, startedOn);
}
