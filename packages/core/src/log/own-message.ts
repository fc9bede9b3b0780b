import type { UIMessage } from 'ai';
import type { WorkDraft } from './work.ts';

export type Part = UIMessage['parts'][number];

/** The message that the run writes; made when there is something to write into it. */
export function writtenMessage(draft: WorkDraft): UIMessage {
  let message = lastMessage(draft);
  if (message?.id !== draft.progress.messageId || message.role !== 'assistant') {
    message = { id: draft.progress.messageId, role: 'assistant', parts: [] };
    (draft.facts.messages = draft.own(draft.facts.messages)).push(message);
  }
  return message;
}

/** The message with the current step's mark. */
export function stepMessage(draft: WorkDraft): UIMessage {
  const message = writtenMessage(draft);
  if (!draft.progress.stepStarted) {
    message.parts.push({ type: 'step-start' });
    draft.progress.stepStarted = true;
  }
  return message;
}

/** The parts that the run has written so far; none before there is a message. */
export function writtenParts({ facts, progress }: WorkDraft): readonly Part[] {
  const message = facts.messages.at(-1);
  return message?.id === progress.messageId ? message.parts : [];
}

/** Adds a part to the current step. Returns its place. */
export function addPart(draft: WorkDraft, part: Part): number {
  return stepMessage(draft).parts.push(part) - 1;
}

/** The part at a place, to be written to. */
export function partAt(draft: WorkDraft, index: number | undefined): Part | undefined {
  const parts = lastMessage(draft)?.parts;
  const part = index === undefined ? undefined : parts?.[index];
  if (parts === undefined || part === undefined || index === undefined) return undefined;
  return (parts[index] = draft.own(part));
}

/** Takes back what the current step has written, its mark included. */
export function voidStep(draft: WorkDraft): void {
  const { progress, facts } = draft;
  if (!progress.stepStarted) return;
  progress.stepStarted = false;
  progress.open.clear();
  const message = lastMessage(draft)!;
  message.parts = message.parts.slice(
    0,
    message.parts.findLastIndex(({ type }) => type === 'step-start'),
  );
  // there is no message before there is something in it
  if (message.parts.length === 0) facts.messages.pop();
}

function lastMessage({ facts, own }: WorkDraft): UIMessage | undefined {
  const index = facts.messages.length - 1;
  const message = facts.messages[index];
  if (message === undefined) return undefined;
  const messages = (facts.messages = own(facts.messages));
  const mine = (messages[index] = own(message));
  mine.parts = own(mine.parts);
  return mine;
}
