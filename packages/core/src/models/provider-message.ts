import { shorten } from '../base/quote-value.ts';
import { parseJson } from '../json/parse-json.ts';

const maxLength = 600;
/** How deep a message may be; an answer may nest until the stack ends. */
const MAX_DEPTH = 20;

/**
 * Returns the provider's own message from the error shapes that APIs use: `{ error: { message } }`, `{ error: 'text'
 * }`, `{ message }`, `{ detail }`, Google's one-element array, Responses' `{ response: { error } }`, or plain text.
 */
export function providerMessage(value: unknown, depth = 0): string | undefined {
  if (depth > MAX_DEPTH) return undefined;
  if (typeof value === 'string') return fromText(value, depth);
  if (Array.isArray(value)) return value.length > 0 ? providerMessage(value[0], depth + 1) : undefined;
  if (typeof value !== 'object' || value === null) return undefined;
  const { error, message, detail, response, errors } = value as Record<string, unknown>;
  // only payloads are read here; an Error's own message is read by its owner
  for (const candidate of [error, response, message, detail, errors]) {
    const found =
      candidate === undefined || candidate === null ? undefined : providerMessage(candidate, depth + 1);
    if (found !== undefined) return found;
  }
  return undefined;
}

function fromText(text: string, depth: number): string | undefined {
  const trimmed = text.trim();
  if (trimmed === '' || /^<(!doctype|html|\?xml)/i.test(trimmed)) return undefined;
  // a plain text may begin with a bracket, too
  const value = /^[[{]/.test(trimmed) ? parseJson(trimmed) : undefined;
  if (value !== undefined) return providerMessage(value, depth + 1);
  return shorten(trimmed, maxLength);
}
