import type { ApprovalState, ClientToolCallState, RunFields } from './state.ts';

/** The error of a call that waited for an approval when its run ended. */
export const UNANSWERED = 'The run ended before this was answered.';
/** The error of a call whose approval was withdrawn. */
export const WITHDRAWN = 'The approval is no longer needed.';

/** True for an approval, or a call of a client tool, that waits for its response. */
export function isPending({ response, withdrawn }: ApprovalState | ClientToolCallState): boolean {
  return response === undefined && withdrawn === undefined;
}

/** True for a state with an approval, or a call of a client tool, that waits for its response. */
export function hasPending({
  approvals,
  clientToolCalls,
}: Pick<RunFields, 'approvals' | 'clientToolCalls'>): boolean {
  return approvals.some(isPending) || clientToolCalls.some(isPending);
}

/** Withdraws all items that are pending. */
export function withdrawPending<Item extends ApprovalState | ClientToolCallState>(items: Item[]): Item[] {
  if (!items.some(isPending)) return items;
  return items.map((item) => (isPending(item) ? { ...item, withdrawn: true } : item));
}
