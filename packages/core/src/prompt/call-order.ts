import type { ModelMessage } from 'ai';
import { CuelineError } from '../errors.ts';
import { partError, quoted } from './part-error.ts';

/**
 * Refuses what every provider refuses: a result that answers no call, or one that has been answered, and a user who
 * speaks while a call is open.
 * @throws CuelineError `invalid_definition`
 */
export function checkCalls(message: ModelMessage, earlier: readonly ModelMessage[]): void {
  if (message.role !== 'user' && message.role !== 'tool') return;
  const { open, answered } = callsOf(earlier);
  if (message.role === 'user') {
    const [call] = open;
    if (call === undefined) return;
    const [id, name] = call;
    throw new CuelineError(
      'invalid_definition',
      `The call ${quoted(id)} of ${name} has no result yet, and must have one before the user speaks. Write prompt.defMessage('tool', [{ type: 'tool-result', toolCallId: ${quoted(id)}, toolName: '${name}', output: … }]).`,
    );
  }
  for (const [index, part] of message.content.entries()) {
    if (part.type !== 'tool-result') continue;
    const path = `messages[${earlier.length}].content[${index}].toolCallId`;
    const id = part.toolCallId;
    if (open.delete(id)) answered.add(id);
    else if (answered.has(id)) throw partError(path, `is ${quoted(id)}, a call that has its result already.`);
    else {
      const known = open.size === 0 ? '' : ` Open calls: ${[...open.keys()].join(', ')}.`;
      throw partError(
        path,
        `is ${quoted(id)}, but no message before it has a call of that id.${known} Put the assistant's message with the tool-call first.`,
      );
    }
  }
}

/** The calls of a conversation: those without a result, with the names of their tools, and those with one. */
function callsOf(messages: readonly ModelMessage[]): { open: Map<string, string>; answered: Set<string> } {
  const open = new Map<string, string>();
  const answered = new Set<string>();
  for (const { content } of messages) {
    if (typeof content === 'string') continue;
    for (const part of content) {
      if (part.type === 'tool-call') open.set(part.toolCallId, part.toolName);
      if (part.type === 'tool-result' && open.delete(part.toolCallId)) answered.add(part.toolCallId);
    }
  }
  return { open, answered };
}
