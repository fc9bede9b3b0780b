import { isOpenRequest, type RunState } from '@cueline/core';

/** True from a run's start to its end, also while it waits for an answer of the person. */
export function isUnderWay({ status, requests }: Pick<RunState, 'status' | 'requests'>): boolean {
  if (status !== 'waiting') return status === 'running';
  // a log that ended as waiting has nothing open that could be answered here
  return requests.some(isOpenRequest);
}
