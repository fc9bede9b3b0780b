import type { ModelMessage } from 'ai';
import { CuelineError } from '../base/errors.ts';
import { isRecord } from '../base/is-record.ts';
import { messagePartError } from '../base/message-part-error.ts';
import { quoteValue } from '../base/quote-value.ts';
import { bytesOf, toBase64 } from '../json/bytes.ts';

/**
 * Returns a frozen copy of a message as plain JSON. The AI SDK accepts it as it is, except for URLs in `{ type:
 * 'url', url }`.
 * @throws CuelineError `invalid_definition`, with the path of the fault
 */
export function freezeMessage(message: unknown, path: string): ModelMessage {
  checkMessage(message, path);
  return copy(message, path, 0) as ModelMessage;
}

/** Returns the message with the values that JSON cannot hold; the same object if there are none. */
export function reviveMessage(message: ModelMessage): ModelMessage {
  if (typeof message.content === 'string') return message;
  const content: readonly unknown[] = message.content;
  const revived = content.map(revivePart);
  if (revived.every((part, index) => part === content[index])) return message;
  return frozenLike(message, { ...message, content: frozenLike(content, revived) } as ModelMessage);
}

function checkMessage(message: unknown, path: string): asserts message is ModelMessage {
  if (!isRecord(message))
    throw messagePartError(
      path,
      `is ${quoteValue(message)}. Write { role: 'user', content: '…' }, or a string.`,
    );
  const { role, content } = message;
  if (role === 'system') {
    throw messagePartError(
      `${path}.role`,
      "is 'system'. A dialog has its instructions beside its messages: createDialog(messages, { instructions }).",
    );
  }
  if (role !== 'user' && role !== 'assistant' && role !== 'tool') {
    throw messagePartError(`${path}.role`, `is ${quoteValue(role)}. Write 'user', 'assistant' or 'tool'.`);
  }
  if (typeof content === 'string' && role !== 'tool') {
    if (content.trim() === '')
      throw messagePartError(`${path}.content`, 'is empty. Models refuse empty messages.');
    return;
  }
  if (!Array.isArray(content) || content.length === 0) {
    throw messagePartError(
      `${path}.content`,
      `is ${quoteValue(content)}. Write ${role === 'tool' ? '' : 'a string, or '}a list of parts.`,
    );
  }
  for (const [index, part] of (content as unknown[]).entries()) {
    if (isRecord(part) && typeof part['type'] === 'string') continue;
    throw messagePartError(`${path}.content[${index}]`, "is not a part. Write { type: 'text', text: '…' }.");
  }
}

/** Deeper than any real message, and far below the depth at which recursion fails. */
const MAX_DEPTH = 1_000;

function copy(value: unknown, path: string, depth: number): unknown {
  if (typeof value === 'bigint') return String(value);
  // JSON has neither NaN nor -0
  if (typeof value === 'number') return Number.isFinite(value) ? value + 0 : null;
  if (typeof value !== 'object' || value === null) return value;
  const bytes = bytesOf(value);
  if (bytes !== undefined) return toBase64(bytes);
  if (value instanceof URL) return value.href;
  if (value instanceof Blob) {
    throw messagePartError(
      path,
      'is a Blob, which has to be read first. Write new Uint8Array(await blob.arrayBuffer()).',
    );
  }
  if (depth > MAX_DEPTH) {
    throw messagePartError(path.slice(0, 100), `is nested more than ${MAX_DEPTH} deep, or contains itself.`);
  }
  if (Array.isArray(value)) {
    // as in JSON, null replaces an item that JSON cannot hold
    const items = Array.from(value, (item, index) => orNull(copy(item, `${path}[${index}]`, depth + 1)));
    return Object.freeze(items);
  }
  if ('toJSON' in value && typeof value.toJSON === 'function')
    return copy(invalidMessageError(value.toJSON, value, path), path, depth + 1);
  const entries = Object.entries(value).flatMap(([key, item]) => {
    const kept = copy(item, `${path}.${key}`, depth + 1);
    return isRepresentable(kept) ? [[key, kept] as const] : [];
  });
  return Object.freeze(Object.fromEntries(entries));
}

function invalidMessageError(toJSON: Function, value: object, path: string): unknown {
  try {
    return toJSON.call(value) as unknown;
  } catch (error) {
    throw new CuelineError(
      'invalid_definition',
      `${path} cannot be written as JSON, because its toJSON threw. Correct it, or pass plain data.`,
      {
        cause: error,
      },
    );
  }
}

function isRepresentable(value: unknown): boolean {
  return value !== undefined && typeof value !== 'function' && typeof value !== 'symbol';
}

function orNull(value: unknown): unknown {
  return isRepresentable(value) ? value : null;
}

function revivePart(part: unknown): unknown {
  if (!isRecord(part)) return part;
  if (part['type'] === 'tool-result' && isRecord(part['output'])) {
    const { output } = part;
    const { value } = output as { value?: unknown };
    if (output['type'] !== 'content' || !Array.isArray(value)) return part;
    const revived = value.map(revivePart);
    if (revived.every((item, index) => item === value[index])) return part;
    return frozenLike(part, {
      ...part,
      output: frozenLike(part, { ...output, value: frozenLike(part, revived) }),
    });
  }
  const { type, data } = part;
  if ((type !== 'file' && type !== 'reasoning-file') || !isRecord(data)) return part;
  const { url } = data;
  if (data['type'] !== 'url' || typeof url !== 'string' || !URL.canParse(url)) return part;
  return frozenLike(part, { ...part, data: frozenLike(part, { ...data, url: new URL(url) }) });
}

/** Returns `value`, frozen if `original` is. */
function frozenLike<Value extends object>(original: object, value: Value): Value {
  return Object.isFrozen(original) ? Object.freeze(value) : value;
}
