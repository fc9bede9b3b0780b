import type { RequestAnswer, RunCommand, TaskEdit } from '@cueline/core';
import { Refusal } from '../http/respond.ts';
import { isName, longestName } from './is-name.ts';
import { refusePrototypes } from './refuse-prototypes.ts';

/** What is said to a run that is under way. Throws a {@link Refusal} with 400 for what is no command. */
export function readCommand(body: Readonly<Record<string, unknown>>): RunCommand {
  refusePrototypes(body, 'The command');
  const { type, edit, agent, requestId, answer, page, instead } = body;
  if (type === 'edit') {
    if (!isRecord(edit) || typeof edit['type'] !== 'string') {
      throw invalid("edit is no edit. Send { type: 'edit', edit: { type: 'skip', taskId } } and the like.");
    }
    if (agent !== undefined && typeof agent !== 'string') throw invalid('agent is no path of an agent.');
    // what the edit says is checked, and refused with a reason, by the list that it is for
    return { type, edit: edit as TaskEdit, ...(agent === undefined ? {} : { agent }) };
  }
  if (type === 'respond') {
    if (typeof requestId !== 'string')
      throw invalid('requestId is no text. Send the one that request-open has.');
    // what an answer says is checked, and refused with a reason, by the request that it is for
    const isAnswer =
      isRecord(answer) &&
      (typeof answer['approve'] === 'boolean' || 'output' in answer || typeof answer['error'] === 'string');
    if (!isAnswer) {
      throw invalid(
        "answer is no answer. Send { approve: true } or { approve: false, reason: '…' }, and for a client tool { output } or { error: '…' }.",
      );
    }
    return { type, requestId, answer: answer as RequestAnswer };
  }
  if (type === 'begin') {
    if (typeof requestId !== 'string')
      throw invalid('requestId is no text. Send the one that request-open has.');
    if (!isName(page)) throw invalid(`page is no text of 1 to ${longestName} characters.`);
    if (instead !== undefined && !isName(instead))
      throw invalid(`instead is no text of 1 to ${longestName} characters.`);
    return { type, requestId, page, ...(instead === undefined ? {} : { instead }) };
  }
  throw invalid("type says neither 'edit', 'respond' nor 'begin', which is what a run can be told.");
}

function invalid(message: string): Refusal {
  return new Refusal('invalid_body', message);
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
