import type { RequestAnswer, RunCommand, TaskEdit } from '@cueline/core';
import { Refusal } from '../respond.ts';
import { refusePrototypes } from './refuse-prototypes.ts';

/** What is said to a run that is under way. Throws a {@link Refusal} with 400 for what is no command. */
export function readCommand(body: Readonly<Record<string, unknown>>): RunCommand {
  refusePrototypes(body, 'The command');
  const { type, edit, agent, requestId, answer } = body;
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
    if (!isRecord(answer) || typeof answer['approve'] !== 'boolean') {
      throw invalid("answer is no answer. Send { approve: true } or { approve: false, reason: '…' }.");
    }
    return { type, requestId, answer: answer as RequestAnswer };
  }
  throw invalid("type says neither 'edit' nor 'respond', which is what a run can be told.");
}

function invalid(message: string): Refusal {
  return new Refusal('invalid_body', message);
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
