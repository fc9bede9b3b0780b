import type { RunCommand } from '../executors/executor.ts';
import { isPending } from '../log/pending.ts';
import type { RunLog } from '../log/run-log.ts';
import { loggedResponse, readApprovalResponse, readClientToolResponse } from '../tool-calls/read-response.ts';

/** What a user sends to a run, and `stop`, which ends it. */
export type DurableCommand = RunCommand | { type: 'stop' };

export function isEdit(command: DurableCommand): command is Extract<RunCommand, { type: 'edit' }> {
  return command.type === 'edit';
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
