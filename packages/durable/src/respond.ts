import { createRunLog, type RunCommand } from '@cueline/core';
import type { DurableCommand } from '@cueline/core/durable';
import type { ReadEvents, StoredCommand } from './store.ts';

/** Returns why a run cannot take a command; undefined if it can. */
export function refusalOf(read: ReadEvents | undefined, command: DurableCommand): string | undefined {
  if (read === undefined) return 'The run is not known, or no longer.';
  if (read.ended) return 'The run has ended, so nothing waits for a response.';
  if (command.type === 'stop' || command.type === 'edit') return undefined;
  const { approvals, clientToolCalls } = createRunLog({ events: read.events }).getState();
  if (command.type === 'approval-response') {
    const { approvalId } = command;
    const approval = approvals.findLast((each) => each.approvalId === approvalId);
    if (approval?.providerExecuted === true && 'input' in command.response) {
      return `The provider runs ${approval.toolName} itself, with the arguments as they are. Respond without an input.`;
    }
    return reasonOf('approval', approvalId, approval);
  }
  const { clientCallId } = command;
  const call = clientToolCalls.findLast((each) => each.clientCallId === clientCallId);
  return reasonOf('client tool call', clientCallId, call);
}

/** Returns the command under the name that a run has only once. */
export function commandOf(command: RunCommand | { type: 'stop' }): StoredCommand {
  return { name: nameOf(command), command };
}

function nameOf(command: DurableCommand): string {
  switch (command.type) {
    case 'stop':
      return 'stop';
    case 'approval-response':
      return `approval ${command.approvalId}`;
    case 'client-tool-response':
      return `client tool ${command.clientCallId}`;
    default:
      return `${command.type} ${crypto.randomUUID()}`;
  }
}

function reasonOf(
  what: string,
  id: string,
  item: { response?: unknown; withdrawn?: true } | undefined,
): string | undefined {
  if (item === undefined) return `There is no ${what} ${id} in this run.`;
  if (item.withdrawn === true)
    return `The ${what} ${id} was withdrawn: its call ran out of time, or was interrupted.`;
  return item.response === undefined ? undefined : `The ${what} ${id} was answered already.`;
}
