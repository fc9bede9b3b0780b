import type { ModelMessage } from 'ai';
import { CuelineError } from '../base/errors.ts';
import { isRecord } from '../base/is-record.ts';
import { messagePartError } from '../base/message-part-error.ts';
import { quoteValue } from '../base/quote-value.ts';

const roles: ReadonlySet<unknown> = new Set<ModelMessage['role']>(['system', 'user', 'assistant', 'tool']);

/** True for an AI SDK message, by its outline. A UIMessage, and a message of another API, has another shape. */
export function isMessage(value: unknown): value is ModelMessage {
  if (!isRecord(value) || !roles.has(value['role'])) return false;
  const { role, content } = value;
  if (typeof content === 'string') return role !== 'tool';
  return (
    role !== 'system' &&
    Array.isArray(content) &&
    content.every((part) => isRecord(part) && typeof part['type'] === 'string')
  );
}

/** Returns what is wrong with a caller's messages of the AI SDK, which have this name; undefined if nothing is. */
export function faultOfMessages(name: string, messages: unknown): string | undefined {
  if (!Array.isArray(messages)) {
    return `${name} is ${quoteValue(messages)}. Write [{ role: 'user', content: 'Hello!' }].`;
  }
  const wrong = messages.findIndex((message) => !isMessage(message));
  return wrong === -1
    ? undefined
    : `${name}[${wrong}] is not a message of the AI SDK, such as { role: 'user', content: 'Hello!' }. Convert UIMessages with the AI SDK's convertToModelMessages.`;
}

/**
 * Refuses what every provider refuses: a result without a call, a second result of a call, and a message of another
 * role while a call is open.
 * @throws CuelineError `invalid_definition`
 */
export function checkCalls(message: ModelMessage, earlier: readonly ModelMessage[]): void {
  const { open, answered } = collectCalls(earlier);
  if (message.role !== 'tool') return refuseOpen(open, message.role);
  for (const [index, part] of message.content.entries()) {
    if (part.type !== 'tool-result') continue;
    const path = `messages[${earlier.length}].content[${index}].toolCallId`;
    const id = part.toolCallId;
    if (open.delete(id)) answered.add(id);
    else if (answered.has(id))
      throw messagePartError(
        path,
        `is ${quoteValue(id)}, a call that already has its result. Leave one of the two out.`,
      );
    else {
      const known = open.size === 0 ? '' : ` Open calls: ${[...open.keys()].join(', ')}.`;
      throw messagePartError(
        path,
        `is ${quoteValue(id)}, but no message before it has a call of that id.${known} Put the assistant's message with the tool-call first.`,
      );
    }
  }
}

/**
 * Refuses a conversation in which a call has no result before the next message or at the end.
 * @throws CuelineError `invalid_definition`
 */
export function checkAnswered(messages: readonly ModelMessage[]): void {
  const calls: Calls = { open: new Map(), answered: new Set() };
  for (const message of messages) {
    if (message.role !== 'tool') refuseOpen(calls.open, message.role);
    note(message, calls);
  }
  refuseOpen(calls.open, 'model');
}

function refuseOpen(open: Calls['open'], next: string): void {
  if (next === 'system') return;
  const [call] = open;
  if (call === undefined) return;
  const [id, name] = call;
  throw new CuelineError(
    'invalid_definition',
    `The call ${quoteValue(id)} of ${name} has no result yet, and needs one before the next message of the ${next}. Write prompt.defMessage('tool', [{ type: 'tool-result', toolCallId: ${quoteValue(id)}, toolName: '${name}', output: … }]).`,
  );
}

type Calls = { open: Map<string, string>; answered: Set<string> };

/** Returns the calls of a conversation: those without a result, with their tools' names, and those with one. */
function collectCalls(messages: readonly ModelMessage[]): Calls {
  const calls: Calls = { open: new Map(), answered: new Set() };
  for (const message of messages) note(message, calls);
  return calls;
}

function note({ content }: ModelMessage, { open, answered }: Calls): void {
  if (typeof content === 'string') return;
  for (const part of content) {
    // calls of the provider, and calls that wait for an approval, get their results in another way
    if (part.type === 'tool-call' && part.providerExecuted !== true) open.set(part.toolCallId, part.toolName);
    if (part.type === 'tool-approval-request') open.delete(part.toolCallId);
    if (part.type === 'tool-result' && open.delete(part.toolCallId)) answered.add(part.toolCallId);
  }
}
