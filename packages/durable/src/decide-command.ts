import { createRunLog } from '@cueline/core';
import { isSameResponse, readResponse, type DurableCommand } from '@cueline/core/durable';
import type { ReadEvents, StoredCommand } from './store.ts';

/** Whether a run accepts a command. */
export type Decision =
  /** `page` is the page that runs the claimed call now. */
  | { status: 'accepted'; page?: string | undefined }
  /** The log already has the same response or claim. */
  | { status: 'known' }
  | { status: 'refused'; reason: string };

/** The compiler compares this list with the type. */
const commandTypes: Record<DurableCommand['type'], true> = {
  'approval-response': true,
  'client-tool-response': true,
  'client-tool-claim': true,
  edit: true,
  stop: true,
};

/** Decides from the log of a run whether it accepts a command. */
export function decide(read: ReadEvents | undefined, command: DurableCommand): Decision {
  if (!Object.hasOwn(commandTypes, Object(command).type ?? ''))
    return refused(`This is not a command. Its type is one of: ${Object.keys(commandTypes).join(', ')}.`);
  if (read === undefined) return refused('This run does not exist, or it is no longer stored.');
  const response = readResponse(command);
  if (typeof response === 'string') return refused(response);
  const target = targetOf(read, command);
  const before = target?.item?.response;
  if (before !== undefined && response !== undefined && isSameResponse(before, response)) {
    return { status: 'known' };
  }
  if (read.ended) return refused('The run has ended, so nothing waits for a response.');
  if (target === undefined) return { status: 'accepted' };
  const { what, item } = target;
  if (item === undefined) return refused(`There is no ${what} in this run.`);
  if (item.withdrawn === true) {
    return refused(`The ${what} was withdrawn: its call timed out or was interrupted.`);
  }
  if (item.response !== undefined) return refused(`The ${what} already has a response.`);
  if (item.providerExecuted === true && response !== undefined && 'input' in response) {
    return refused(
      `The provider runs ${item.toolName} itself, with the arguments as they are. Respond without an input.`,
    );
  }
  if (command.type !== 'client-tool-claim') return { status: 'accepted' };
  // the same rules as in a run of this process
  const { page, toolName } = item;
  if (page === command.page) return { status: 'known' };
  if (page !== undefined && page !== command.instead)
    return refused(`Another page already runs ${toolName}.`);
  return { status: 'accepted', page };
}

/** Returns the refusal of a command because the store already has a different one under its name. */
export function refusedForAnother({ type }: DurableCommand): Decision {
  return refused(
    type === 'client-tool-claim' ? 'Another page already runs this call.' : 'Another response came first.',
  );
}

function refused(reason: string): Decision {
  return { status: 'refused', reason };
}

/** Whether a command says the same as the stored one with its name. */
export function isSameCommand(one: StoredCommand['command'], other: DurableCommand): boolean {
  if (one.type === 'takeover') return false;
  if (one.type === 'client-tool-claim' && other.type === 'client-tool-claim') return one.page === other.page;
  const [first, second] = [readResponse(one), readResponse(other)];
  if (typeof first !== 'object' || typeof second !== 'object') return first === second;
  return isSameResponse(first, second);
}

/** Returns a command with its name, which is unique in its run. `page` is the page that runs the claimed call now. */
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
      // not the command's own `instead`, which may be anything while no page runs the call
      return `claim ${JSON.stringify([command.clientCallId, page ?? ''])}`;
    default:
      return `${command.type} ${crypto.randomUUID()}`;
  }
}

/** Escapes an id, which may come from a provider, so that every store can keep it. Ordinary ids do not change. */
function storable(id: string): string {
  return JSON.stringify(id).slice(1, -1);
}

type ResponseTarget = {
  response?: object;
  withdrawn?: true;
  providerExecuted?: true;
  page?: string;
  toolName: string;
};

/** Returns the approval or client tool call that a command refers to; undefined for commands that refer to neither. */
function targetOf(
  { events }: ReadEvents,
  command: DurableCommand,
): { what: string; item: ResponseTarget | undefined } | undefined {
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
