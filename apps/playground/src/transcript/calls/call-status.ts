import { isPending, type ToolCallState } from '@cueline/core';
import { Ban, Check, CircleAlert, Ellipsis, LoaderCircle, Pause, Undo2, type LucideIcon } from 'lucide-react';
import type { Pending } from '../../state/pending.ts';
import type { TaskVerdict } from '../../tasks/verdicts.ts';
import { isSuspended } from '../outcome.ts';

/** How far a call has come, as a label and an icon. */
export type CallStatus = { label: string; className: string; Icon: LucideIcon; spins?: boolean };

const ofState: Record<ToolCallState['state'], CallStatus> = {
  'input-streaming': { label: 'Writing arguments', className: 'text-ink-2', Icon: Ellipsis },
  'input-available': { label: 'Ready', className: 'text-ink-2', Icon: Ellipsis },
  running: { label: 'Running', className: 'text-tool', Icon: LoaderCircle, spins: true },
  'output-available': { label: 'Done', className: 'text-ok', Icon: Check },
  'output-error': { label: 'Failed', className: 'text-danger', Icon: CircleAlert },
  interrupted: { label: 'Interrupted', className: 'text-ink-2', Icon: Ban },
};
const asking: CallStatus = { label: 'Waiting for you', className: 'text-warn', Icon: Pause };
const suspended: CallStatus = { label: 'Suspended', className: 'text-warn', Icon: Pause };
const refused: CallStatus = { label: 'Refused', className: 'text-ink-2', Icon: Ban };
/** Calls that hand in a task's result, by the decision of the task list. */
const ofVerdict: Record<TaskVerdict['kind'], CallStatus> = {
  accepted: { label: 'Accepted', className: 'text-ok', Icon: Check },
  refused: { label: 'Not accepted', className: 'text-warn', Icon: Undo2 },
  unused: { label: 'Not used', className: 'text-ink-2', Icon: Ban },
};

/** Returns how far a call has come: `pending` is its approval or client tool call, `verdict` that of the task list. */
export function callStatus(
  call: ToolCallState,
  pending: Pending | undefined,
  verdict: TaskVerdict | undefined,
): CallStatus {
  if (pending !== undefined && isPending(pending) && call.state === 'input-available') return asking;
  if (isCallRefused(pending)) return refused;
  if (verdict !== undefined) return ofVerdict[verdict.kind];
  return isSuspended(call) ? suspended : ofState[call.state];
}

/** True if the user has refused the call. */
export function isCallRefused(pending: Pending | undefined): boolean {
  const response = pending?.response;
  return response !== undefined && 'approved' in response && !response.approved;
}
