import { createRunLog, type RunCommand } from '@cueline/core';
import { isSameResponse, readResponse, type DurableCommand } from '@cueline/core/durable';
import type { ReadEvents, StoredCommand } from './store.ts';

/** Whether a run takes a command. `known`: its log has the same response. */
export type Decision = { status: 'accepted' | 'known' } | { status: 'refused'; reason: string };

/** Decides by the log of a run whether it takes a command. */
export function decide(read: ReadEvents | undefined, command: DurableCommand): Decision {
  if (read === undefined) return refused('The run is not known, or no longer.');
  const response = readResponse(command);
  if (typeof response === 'string') return refused(response);
  const given = itemOf(read, command);
  const before = given?.item?.response;
  if (before !== undefined && response !== undefined && isSameResponse(before, response)) {
    return { status: 'known' };
  }
  if (read.ended) return refused('The run has ended, so nothing waits for a response.');
  if (given === undefined) return { status: 'accepted' };
  const { what, item } = given;
  if (item === undefined) return refused(`There is no ${what} in this run.`);
  if (item.withdrawn === true) {
    return refused(`The ${what} was withdrawn: its call ran out of time, or was interrupted.`);
  }
  if (item.response !== undefined) return refused(`The ${what} was answered already.`);
  if (item.providerExecuted === true && response !== undefined && 'input' in response) {
    return refused(
      `The provider runs ${item.toolName} itself, with the arguments as they are. Respond without an input.`,
    );
  }
  return { status: 'accepted' };
}

function refused(reason: string): Decision {
  return { status: 'refused', reason };
}

/** True if a command is one that the run has already, under the same name. */
export function isSameCommand(one: DurableCommand, other: DurableCommand): boolean {
  const [first, second] = [readResponse(one), readResponse(other)];
  if (typeof first !== 'object' || typeof second !== 'object') return first === second;
  return isSameResponse(first, second);
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
      return `approval ${storable(command.approvalId)}`;
    case 'client-tool-response':
      return `client tool ${storable(command.clientCallId)}`;
    default:
      return `${command.type} ${crypto.randomUUID()}`;
  }
}

/** Returns an id, which may be a provider's, as a text that every store keeps. Ordinary ids stay as they are. */
function storable(id: string): string {
  return JSON.stringify(id).slice(1, -1);
}

type Item = {
  response?: object;
  withdrawn?: true;
  providerExecuted?: true;
  toolName: string;
};

/** Returns what a command responds to; undefined for a command that is no response. */
function itemOf(
  { events }: ReadEvents,
  command: DurableCommand,
): { what: string; item: Item | undefined } | undefined {
  const state = (): ReturnType<ReturnType<typeof createRunLog>['getState']> =>
    createRunLog({ events }).getState();
  switch (command.type) {
    case 'approval-response': {
      const { approvalId } = command;
      const item = state().approvals.findLast((each) => each.approvalId === approvalId);
      return { what: `approval ${approvalId}`, item };
    }
    case 'client-tool-response':
    case 'client-tool-claim': {
      const { clientCallId } = command;
      const item = state().clientToolCalls.findLast((each) => each.clientCallId === clientCallId);
      return { what: `client tool call ${clientCallId}`, item };
    }
    default:
      return undefined;
  }
}
