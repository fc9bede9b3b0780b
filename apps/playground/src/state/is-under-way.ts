import { hasPending, type RunState } from '@cueline/core';

/** True from a run's start to its end, also while it waits for an answer of the person. */
export function isUnderWay({
  status,
  ...state
}: Pick<RunState, 'status' | 'approvals' | 'clientToolCalls'>): boolean {
  if (status !== 'waiting') return status === 'running';
  // a log that ended as waiting has nothing open that could be answered here
  return hasPending(state);
}
