import type { RunHandle } from '../log/run-handle.ts';
import type { EditReply } from '../tasks/task-item.ts';
import type { RunCommand } from './executor.ts';

/** Sends a command to a run in this process. */
export function sendCommand(run: RunHandle, command: RunCommand): Promise<EditReply> {
  switch (command.type) {
    case 'edit':
      return run.edit(command.edit, command.agent);
    case 'approval-response':
      return run.respondToApproval(command.approvalId, command.response);
    case 'client-tool-response':
      return run.respondToClientTool(command.clientCallId, command.response);
    case 'client-tool-claim':
      return run.claimClientTool(command.clientCallId, command.page, command.instead);
  }
}
