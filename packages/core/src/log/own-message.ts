import type { UIMessage } from 'ai';
import { truncateIndex } from './id-index.ts';
import type { StateDraft } from './agent-reducer.ts';

export type Part = UIMessage['parts'][number];

/** The message that the run writes; made when there is something to write into it. */
export function writtenMessage(draft: StateDraft): UIMessage {
  let message = lastMessage(draft);
  if (!isWritten(draft, message)) {
    message = { id: draft.progress.messageId, role: 'assistant', parts: [] };
    (draft.facts.messages = draft.own(draft.facts.messages)).push(message);
  }
  return message;
}

/** The message with the current step's mark. */
export function stepMessage(draft: StateDraft): UIMessage {
  const message = writtenMessage(draft);
  draft.progress.stepPlace ??= message.parts.push({ type: 'step-start' }) - 1;
  return message;
}

/** The parts that the run has written so far; none before there is a message. */
export function writtenParts(draft: StateDraft): readonly Part[] {
  const message = draft.facts.messages.at(-1);
  return isWritten(draft, message) ? message.parts : [];
}

function isWritten({ progress }: StateDraft, message: UIMessage | undefined): message is UIMessage {
  return message?.id === progress.messageId && message.role === 'assistant';
}

/** Adds a part to the current step. Returns its place. */
export function addPart(draft: StateDraft, part: Part): number {
  return stepMessage(draft).parts.push(part) - 1;
}

/** The part at a place, to be written to. */
export function partAt(draft: StateDraft, index: number | undefined): Part | undefined {
  const parts = lastMessage(draft)?.parts;
  const part = index === undefined ? undefined : parts?.[index];
  if (parts === undefined || part === undefined || index === undefined) return undefined;
  return (parts[index] = draft.own(part));
}

/** Takes back what the current step has written, its mark included. */
export function voidStep(draft: StateDraft): void {
  const { progress, facts } = draft;
  const length = progress.stepPlace;
  if (length === undefined) return;
  progress.stepPlace = undefined;
  progress.open.clear();
  const { parts } = lastMessage(draft)!;
  truncateIndex(draft.places.parts, parts, length);
  parts.length = length;
  // there is no message before there is something in it
  if (parts.length === 0) facts.messages.pop();
}

function lastMessage({ facts, own }: StateDraft): UIMessage | undefined {
  const index = facts.messages.length - 1;
  const message = facts.messages[index];
  if (message === undefined) return undefined;
  const messages = (facts.messages = own(facts.messages));
  const mine = (messages[index] = own(message));
  mine.parts = own(mine.parts);
  return mine;
}
