import type { UIMessage } from 'ai';
import { CuelineError } from '../base/errors.ts';
import { isRecord } from '../base/is-record.ts';
import { quoteValue } from '../base/quote-value.ts';
import { isUnreadableFile } from './is-unreadable-file.ts';

/**
 * Throws the reason why `send` cannot send something. Apart from the check, so that a page loads these sentences
 * only after a mistake.
 */
export function refuseMessage(message: unknown): never {
  throw new CuelineError('invalid_options', `send takes a string or a message, but got ${shown(message)}`);
}

function shown(message: unknown): string {
  const write = "Write send('Hello!'), or send({ parts: [{ type: 'text', text: 'Hello!' }] }).";
  if (typeof message === 'string') return `an empty text, which models refuse. ${write}`;
  if (!isRecord(message)) return `${quoteValue(message)}. ${write}`;
  if ('content' in message) return `a message with content instead of parts. ${write}`;
  const { parts } = message as Partial<UIMessage>;
  if (!Array.isArray(parts)) return `an object without parts. ${write}`;
  if (parts.every((part) => part?.type === 'text')) {
    return `a message whose parts are empty, which models refuse. ${write}`;
  }
  const file = parts.find((part) => isRecord(part) && isUnreadableFile(part));
  if (file !== undefined) {
    const { url } = file as { url?: unknown };
    return `a file whose url is ${quoteValue(url)}, which no model can read. Write it as a data URL, as convertFileListToFileUIParts of the AI SDK does, or as an http(s) URL.`;
  }
  return `a message in which a part has no type. ${write}`;
}
