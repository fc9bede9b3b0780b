import { CuelineError } from '../base/errors.ts';
import { withoutUndefined } from '../base/without-undefined.ts';
import type { RunCommand, RunHandle } from '../log/run-handle.ts';
import type { EditReply } from '../tasks/task-item.ts';
import type { Attempt } from './attempt.ts';
import type { Attempts } from './attempts.ts';

/** Sends a command to an attempt. A run that cannot take it now replies that it is not accepted. */
export async function sendToAttempt(attempt: Attempt | undefined, command: RunCommand): Promise<EditReply> {
  try {
    return (await attempt?.send(command)) ?? { accepted: false, reason: 'The run is not in progress.' };
  } catch (error) {
    if (!CuelineError.isInstance(error) || error.code === 'invalid_options') throw error;
    return { accepted: false, reason: error.message };
  }
}

/** The members of a run that send commands to its attempts. */
export type RunCommands = Pick<
  RunHandle,
  'edit' | 'respondToApproval' | 'respondToClientTool' | 'claimClientTool'
>;

/** Creates the commands of a run. An answer goes to the attempt that asked; an edit goes to the shown one. */
export function createRunCommands(attempts: Attempts): RunCommands {
  const answer = (id: string, command: RunCommand): Promise<EditReply> =>
    sendToAttempt(attempts.ownerOf(id), command);

  return {
    edit: (edit, agent) => sendToAttempt(attempts.shown, withoutUndefined({ type: 'edit', edit, agent })),
    respondToApproval: (approvalId, response) =>
      answer(approvalId, { type: 'approval-response', approvalId, response }),
    respondToClientTool: (clientCallId, response) =>
      answer(clientCallId, { type: 'client-tool-response', clientCallId, response }),
    claimClientTool: (clientCallId, page, instead) =>
      answer(clientCallId, withoutUndefined({ type: 'client-tool-claim', clientCallId, page, instead })),
  };
}
