import { idsOfTree } from '../forks/fork-item.ts';
import { keepSession } from '../forks/store.ts';
import type { RunSession } from '../state/store.ts';
import type { RunRow } from './rows.ts';

/** How many runs of a tree are opened with one of them. */
const MAX_RELATIVES = 20;

/** The rows of the tree that a run belongs to, without the run itself, in the order in which they started. */
export function relativesOf(id: string, rows: readonly RunRow[]): RunRow[] {
  const tree = idsOfTree(id, rows);
  return rows
    .filter((row) => row.id !== id && row.hasLog && tree.has(row.id))
    .toSorted((a, b) => a.startedOn - b.startedOn);
}

/** The relatives that are opened: first the ancestors, then the newest of the others whose parent is opened, too. */
export function nearestRelatives(
  id: string,
  rows: readonly RunRow[],
  most: number = MAX_RELATIVES,
): RunRow[] {
  const left = new Map(relativesOf(id, rows).map((row) => [row.id, row]));
  const nearest: RunRow[] = [];
  const opened = new Set([id]);
  const take = (row: RunRow): void => {
    nearest.push(row);
    opened.add(row.id);
    left.delete(row.id);
  };
  const parentOf = (row: RunRow | undefined): RunRow | undefined => left.get(row?.parent?.id ?? '');
  let ancestor = parentOf(rows.find((row) => row.id === id));
  while (ancestor !== undefined && nearest.length < most) {
    take(ancestor);
    ancestor = parentOf(ancestor);
  }
  while (nearest.length < most) {
    const newest = [...left.values()].findLast((row) => opened.has(row.parent?.id ?? ''));
    if (newest === undefined) break;
    take(newest);
  }
  return nearest.toSorted((a, b) => a.startedOn - b.startedOn);
}

/**
 * Opens the stored runs of the tree of `session`, which is stored as `id`, so that the page shows the tree. One that
 * cannot be opened is left out.
 */
export async function keepRelatives(
  session: RunSession,
  id: string,
  rows: readonly RunRow[],
  open: (id: string) => Promise<RunSession | { problem: string }>,
): Promise<void> {
  const relatives = nearestRelatives(id, rows);
  if (relatives.length === 0) return;
  const own = rows.find((row) => row.id === id);
  const opened: [RunSession, number][] = own === undefined ? [] : [[session, own.startedOn]];
  for (const row of relatives) {
    const relative = await open(row.id);
    if (!('problem' in relative)) opened.push([relative, row.startedOn]);
  }
  for (const [one, startedOn] of opened.toSorted((a, b) => a[1] - b[1])) keepSession(one, startedOn);
}
