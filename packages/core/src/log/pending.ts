import { lastIndexOfId, type IdIndex } from './id-index.ts';
import type { ApprovalState, ClientToolCallState, RunFacts } from './state.ts';

/** True for an approval, or a call of a client tool, that waits for its response. */
export function isPending({ response, withdrawn }: ApprovalState | ClientToolCallState): boolean {
  return response === undefined && withdrawn === undefined;
}

/** True for a state with an approval, or a call of a client tool, that waits for its response. */
export function hasPending({
  approvals,
  clientToolCalls,
}: Pick<RunFacts, 'approvals' | 'clientToolCalls'>): boolean {
  return approvals.some(isPending) || clientToolCalls.some(isPending);
}

/** Changes an item if it is pending: only the first response counts, and so does a withdrawal. */
export function changePending<Item extends ApprovalState | ClientToolCallState>(
  writable: <T extends object>(value: T) => T,
  items: Item[],
  index: IdIndex<Item>,
  id: string,
  change: Partial<Item>,
): Item[] {
  const position = lastIndexOfId(index, items, id) ?? -1;
  const item = items[position];
  if (item === undefined || !isPending(item)) return items;
  const changed = writable(items);
  changed[position] = { ...item, ...change };
  return changed;
}

/** Withdraws all items that are pending. */
export function withdrawPending<Item extends ApprovalState | ClientToolCallState>(items: Item[]): Item[] {
  if (!items.some(isPending)) return items;
  return items.map((item) => (isPending(item) ? { ...item, withdrawn: true } : item));
}
