import type { UIMessage } from 'ai';
import { truncateIndex } from './id-index.ts';
import type { MessagePart, StateDraft } from './state-draft.ts';

/** Returns the message that the run writes, and creates it if it does not exist. */
export function writtenMessage(draft: StateDraft): UIMessage {
  let message = lastMessage(draft);
  if (!isWritten(draft, message)) {
    message = { id: draft.progress.messageId, role: 'assistant', parts: [] };
    (draft.fields.messages = draft.writable(draft.fields.messages)).push(message);
  }
  return message;
}

/** Returns the message, with the mark of the current step. */
export function stepMessage(draft: StateDraft): UIMessage {
  const message = writtenMessage(draft);
  draft.progress.stepStartIndex ??= message.parts.push({ type: 'step-start' }) - 1;
  return message;
}

/** Returns the parts that the run has written; none before the message exists. */
export function writtenParts(draft: StateDraft): readonly MessagePart[] {
  const message = draft.fields.messages.at(-1);
  return isWritten(draft, message) ? message.parts : [];
}

function isWritten({ progress }: StateDraft, message: UIMessage | undefined): message is UIMessage {
  return message?.id === progress.messageId && message.role === 'assistant';
}

/** Adds a part to the current step. Returns its index. */
export function addPart(draft: StateDraft, part: MessagePart): number {
  return stepMessage(draft).parts.push(part) - 1;
}

/** Returns the part at an index as a copy that may be written to. */
export function partAt(draft: StateDraft, index = -1): MessagePart | undefined {
  const parts = lastMessage(draft)?.parts;
  const part = parts?.[index];
  if (parts === undefined || part === undefined) return undefined;
  return (parts[index] = draft.writable(part));
}

/** Removes what the current step has written, including its mark. */
export function voidStep(draft: StateDraft): void {
  const { progress, fields } = draft;
  const length = progress.stepStartIndex;
  if (length === undefined) return;
  progress.stepStartIndex = undefined;
  progress.open.clear();
  const { parts } = lastMessage(draft)!;
  truncateIndex(draft.indexes.parts, parts, length);
  parts.length = length;
  // a message exists only if it has content
  if (parts.length === 0) fields.messages.pop();
}

function lastMessage({ fields, writable }: StateDraft): UIMessage | undefined {
  const index = fields.messages.length - 1;
  const message = fields.messages[index];
  if (message === undefined) return undefined;
  const messages = (fields.messages = writable(fields.messages));
  const own = (messages[index] = writable(message));
  own.parts = writable(own.parts);
  return own;
}
