import type { ApprovalResponse, RunHandle } from '@cueline/core';
import type { SharedRun } from '@cueline/react';
import type { RunSession } from '../src/state/store.ts';

/** A session of the demo model with this run. */
export function sessionOf(run: unknown, more: Partial<RunSession> = {}): RunSession {
  return {
    id: 'one',
    run: run as SharedRun,
    source: { script: '' },
    shared: false,
    model: { name: 'm', detail: '' },
    simulated: true,
    clock: { now: () => 0 },
    earlier: [],
    ...more,
  };
}

/** Gives the same answer to every approval that the run asks for. */
export function answerAll(
  run: Pick<RunHandle, 'listen' | 'respondToApproval'>,
  answer: ApprovalResponse = { approved: true },
): void {
  run.listen((event) => {
    if (event.type === 'approval-request')
      queueMicrotask(() => void run.respondToApproval(event.approvalId, answer));
  });
}
