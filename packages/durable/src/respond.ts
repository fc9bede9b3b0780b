import { createRunLog } from '@cueline/core';
import { isSameResponse, readResponse, type DurableCommand } from '@cueline/core/durable';
import type { ReadEvents, StoredCommand } from './store.ts';

/** Whether a run takes a command. */
export type Decision =
  /** `page` is the page that runs the call of a claim so far. */
  | { status: 'accepted'; page?: string | undefined }
  /** Its log has the same response, or claim. */
  | { status: 'known' }
  | { status: 'refused'; reason: string };

/** Decides by the log of a run whether it takes a command. */
export function decide(read: ReadEvents | undefined, command: DurableCommand): Decision {
  if (read === undefined) return refused('This run does not exist, or it is no longer kept.');
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
  if (command.type !== 'client-tool-claim') return { status: 'accepted' };
  // as in a run of this process
  const { page, toolName } = item;
  if (page === command.page) return { status: 'known' };
  if (page !== undefined && page !== command.instead)
    return refused(`Another page runs ${toolName} already.`);
  return { status: 'accepted', page };
}

/** Returns the refusal of a command in whose place the store has another one. */
export function refusedForAnother({ type }: DurableCommand): Decision {
  return refused(
    type === 'client-tool-claim' ? 'Another page runs this call already.' : 'It was answered already.',
  );
}

function refused(reason: string): Decision {
  return { status: 'refused', reason };
}

/** True if a command is one that the run has already, under the same name. */
export function isSameCommand(one: DurableCommand, other: DurableCommand): boolean {
  if (one.type === 'client-tool-claim' && other.type === 'client-tool-claim') return one.page === other.page;
  const [first, second] = [readResponse(one), readResponse(other)];
  if (typeof first !== 'object' || typeof second !== 'object') return first === second;
  return isSameResponse(first, second);
}

/** Returns the command under the name that a run has only once. `page` is the page that runs the call of a claim so far. */
export function commandOf(command: DurableCommand, page?: string): StoredCommand {
  return { name: nameOf(command, page), command };
}

function nameOf(command: DurableCommand, page: string | undefined): string {
  switch (command.type) {
    case 'stop':
      return 'stop';
    case 'approval-response':
      return `approval ${storable(command.approvalId)}`;
    case 'client-tool-response':
      return `client tool ${storable(command.clientCallId)}`;
    case 'client-tool-claim':
      // not with its own `instead`, which may be anything while no page runs the call
      return `claim ${JSON.stringify([command.clientCallId, page ?? ''])}`;
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
  page?: string;
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
