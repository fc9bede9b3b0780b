import type {
  ApprovalResponse,
  ApprovalState,
  ClientToolCallState,
  ClientToolResponse,
  RunState,
} from '@cueline/core';

/** What a run waits for, or waited for: the approval of a call, or the result of a client tool's call. */
export type Pending = ApprovalState | ClientToolCallState;

/** The response to either. */
export type PendingResponse = ApprovalResponse | ClientToolResponse;

/** The id of an approval, or of a client tool's call. */
export function pendingId(pending: Pending): string {
  return 'approvalId' in pending ? pending.approvalId : pending.clientCallId;
}

/** Returns the approvals and the calls of client tools of a run, in the order in which they were requested. */
export function allPending({
  approvals,
  clientToolCalls,
}: Pick<RunState, 'approvals' | 'clientToolCalls'>): readonly Pending[] {
  if (clientToolCalls.length === 0) return approvals;
  return [...approvals, ...clientToolCalls].toSorted((one, other) => one.requestedAt - other.requestedAt);
}
