import type { ApprovalResponse, ClientToolResponse, RunCommand, TaskEdit } from '@cueline/core';
import { isRecord } from '../base/is-record.ts';
import { utf8Length } from '../base/utf8-length.ts';
import { HttpError } from '../http/respond.ts';
import { invalidNameText, isName } from './is-name.ts';
import { refusePrototypes } from './refuse-prototypes.ts';

/**
 * Checks a command that is not the body of its request. Throws an {@link HttpError} with 400 or 413 for what
 * {@link readCommand} and the limit of its body refuse.
 */
export function checkCommand(command: RunCommand, commandBytes: number): void {
  refusePrototypes(command, 'The response');
  if (utf8Length(JSON.stringify(command)) <= commandBytes) return;
  throw new HttpError('too_large', `The response is larger than ${commandBytes} bytes. Send less.`);
}

/** Reads a command for a run in progress. Throws an {@link HttpError} with 400 if the body is not a command. */
export function readCommand(body: Readonly<Record<string, unknown>>): RunCommand {
  refusePrototypes(body, 'The command');
  const { type, edit, agent, approvalId, clientCallId, response, page, instead } = body;
  if (type === 'edit') {
    if (!isRecord(edit) || typeof edit['type'] !== 'string') {
      throw invalidCommandError(
        "edit is not an edit of a task. Send one such as { type: 'edit', edit: { type: 'skip', taskId } }.",
      );
    }
    if (agent !== undefined && typeof agent !== 'string')
      throw invalidCommandError(
        "agent is not the path of an agent. Send the one in the events of the agent's tasks.",
      );
    // the task list checks the edit itself, and refuses it with a reason
    return { type, edit: edit as TaskEdit, ...(agent === undefined ? {} : { agent }) };
  }
  if (type === 'approval-response') {
    if (typeof approvalId !== 'string') {
      throw invalidCommandError('approvalId is not a string. Send the one of the approval-request event.');
    }
    // the run checks the rest of the response, and refuses it with a reason
    if (!isRecord(response) || typeof response['approved'] !== 'boolean') {
      throw invalidCommandError(
        "response is not a response to an approval. Send { approved: true } or { approved: false, reason: '…' }.",
      );
    }
    return { type, approvalId, response: response as ApprovalResponse };
  }
  if (type === 'client-tool-response') {
    if (typeof clientCallId !== 'string') throw clientCallIdError();
    if (!isRecord(response) || !('output' in response || typeof response['error'] === 'string')) {
      throw invalidCommandError(
        "response is not a response to the call of a client tool. Send { output } or { error: '…' }.",
      );
    }
    return { type, clientCallId, response: response as ClientToolResponse };
  }
  if (type === 'client-tool-claim') {
    if (typeof clientCallId !== 'string') throw clientCallIdError();
    if (!isName(page)) throw invalidCommandError(invalidNameText('page'));
    if (instead !== undefined && !isName(instead)) {
      throw invalidCommandError(invalidNameText('instead'));
    }
    return { type, clientCallId, page, ...(instead === undefined ? {} : { instead }) };
  }
  throw invalidCommandError(
    "type is not a command. Send 'edit', 'approval-response', 'client-tool-response' or 'client-tool-claim'.",
  );
}

function clientCallIdError(): HttpError {
  return invalidCommandError('clientCallId is not a string. Send the one of the client-tool-request event.');
}

function invalidCommandError(message: string): HttpError {
  return new HttpError('invalid_body', message);
}
