import { groupBy } from '../ui/data/group-by.ts';
import { formatDay } from './format-when.ts';
import type { RunRow } from './rows.ts';

/** Runs under one heading. */
export type RunGroup = { readonly title: string; readonly rows: readonly RunRow[] };

/** Pinned runs first, then those of each day. Expects rows sorted by start, newest first. */
export function groupByDay(rows: readonly RunRow[], now: number = Date.now()): RunGroup[] {
  const pinnedFirst = rows.toSorted((one, other) => Number(other.pinned) - Number(one.pinned));
  const groups = groupBy(pinnedFirst, (row) => (row.pinned ? 'Pinned' : formatDay(row.startedOn, now)));
  return [...groups].map(([title, members]) => ({ title, rows: members }));
}

/** The groups with at most this many rows in all, from the first. */
export function firstRows(groups: readonly RunGroup[], most: number): RunGroup[] {
  let left = most;
  return groups.flatMap(({ title, rows }) => {
    const first = rows.slice(0, left);
    left -= first.length;
    return first.length === 0 ? [] : [{ title, rows: first }];
  });
}

/** True if every word of the query is in the run's title, its model or what ran. */
export function matchesQuery(row: RunRow, query: string): boolean {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) return true;
  const { title, model, source } = row;
  const ran = 'script' in source ? source.script : JSON.stringify(source.prompts);
  const text = `${title}\n${model.name}\n${ran}`.toLowerCase();
  return words.every((word) => text.includes(word));
}
