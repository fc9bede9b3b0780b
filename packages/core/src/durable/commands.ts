import { canonicalJson } from '../json/canonical.ts';
import type { ApprovalResponse, ClientToolResponse } from '../log/events.ts';
import { isPending } from '../log/pending.ts';
import type { RunCommand } from '../log/run-handle.ts';
import type { RunLog } from '../log/run-log.ts';
import { loggedResponse, readApprovalResponse, readClientToolResponse } from '../tool-calls/read-response.ts';

/** What a user sends to a run, and `stop`, which ends it. */
export type DurableCommand = RunCommand | { type: 'stop' };

export function isEdit(command: DurableCommand): command is Extract<RunCommand, { type: 'edit' }> {
  return command.type === 'edit';
}

/**
 * Returns the response of a command as the log keeps it, or the reason as a string if it is not a response. Undefined
 * for commands without one.
 */
export function readResponse(
  command: DurableCommand,
): ApprovalResponse | ClientToolResponse | string | undefined {
  if (command.type === 'approval-response') return readApprovalResponse(command.response);
  if (command.type !== 'client-tool-response') return undefined;
  const response = readClientToolResponse(command.response);
  return typeof response === 'string' ? response : loggedResponse(response);
}

/** True for two equal responses, whatever the order of their fields. */
export function isSameResponse(one: object, other: object): boolean {
  return canonicalJson(one) === canonicalJson(other);
}

/** Writes a response into the log, if the run waits for it. Edits of tasks come later, from the task list itself. */
export function logResponse(log: RunLog, command: DurableCommand): void {
  if (log.ended) return;
  switch (command.type) {
    case 'approval-response': {
      const { approvalId } = command;
      const response = readApprovalResponse(command.response);
      const approval = log.getState().approvals.findLast((each) => each.approvalId === approvalId);
      if (typeof response === 'string' || approval === undefined || !isPending(approval)) return;
      // the provider runs the call with the arguments as they are
      if (approval.providerExecuted === true && 'input' in response) return;
      return log.append({ type: 'approval-response', approvalId, response, ...ofAgent(approval) });
    }
    case 'client-tool-response': {
      const { clientCallId } = command;
      const response = readClientToolResponse(command.response);
      const call = log.getState().clientToolCalls.findLast((each) => each.clientCallId === clientCallId);
      if (typeof response === 'string' || call === undefined || !isPending(call)) return;
      return log.append({
        type: 'client-tool-response',
        clientCallId,
        response: loggedResponse(response),
        ...ofAgent(call),
      });
    }
    case 'client-tool-claim': {
      const { clientCallId, page, instead } = command;
      const call = log.getState().clientToolCalls.findLast((each) => each.clientCallId === clientCallId);
      if (call === undefined || !isPending(call)) return;
      if (call.page !== undefined && call.page !== instead) return;
      return log.append({ type: 'client-tool-claim', clientCallId, page, ...ofAgent(call) });
    }
    default:
  }
}

function ofAgent({ agent }: { agent?: string }): { agent?: string } {
  return agent === undefined ? {} : { agent };
}
