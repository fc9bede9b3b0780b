import { CuelineError } from '../errors.ts';

/** How much of a tool's result the model and the log get, in bytes of UTF-8. */
const MAX_BYTES = 256 * 1024;

/**
 * A tool's result as it may go to the model and into the log: JSON of at most 256 KB. A longer string is cut, and what
 * is longer as JSON becomes the beginning of that JSON; both end on a note that says how long the whole was. Undefined
 * becomes null. @throws CuelineError `invalid_definition` for what is not JSON: functions, cycles, BigInt
 */
export function capOutput(output: unknown, toolName?: string): unknown {
  if (typeof output === 'string') return capText(output);
  if (output === undefined) return null;
  const tool = toolName === undefined ? 'The tool' : `Tool ${toolName}`;
  if (typeof output === 'function' || isAsyncIterable(output)) {
    throw new CuelineError(
      'invalid_definition',
      `${tool} returned a ${typeof output === 'function' ? 'function' : 'generator out of a promise'}. Return its result, or make the tool itself an async function*.`,
    );
  }
  const text = asJson(output, tool);
  // a symbol, or an object that is nothing as JSON
  if (text === undefined) return null;
  const capped = capText(text);
  return capped === text ? output : capped;
}

function asJson(output: unknown, tool: string): string | undefined {
  try {
    return JSON.stringify(output);
  } catch (error) {
    const [reason] = error instanceof Error ? error.message.split('\n') : [];
    throw new CuelineError(
      'invalid_definition',
      `${tool} returned something that is not JSON (${reason ?? 'unknown reason'}). Return plain objects, arrays, strings, numbers.`,
      { cause: error },
    );
  }
}

function capText(text: string): string {
  // a character is at most three bytes, so most results need no counting
  if (text.length * 3 <= MAX_BYTES) return text;
  const encoder = new TextEncoder();
  const bytes = new Uint8Array(MAX_BYTES);
  if (encoder.encodeInto(text, bytes).read === text.length) return text;
  const note = `\n\n[Cut off: the whole was ${text.length} characters long, and a tool may return 256 KB. Ask for less, or for a part.]`;
  // the note is ASCII, and encodeInto stops between two characters, never inside one
  const { written } = encoder.encodeInto(text, bytes.subarray(0, MAX_BYTES - note.length));
  // not text.slice(), which would keep the whole text in memory
  const begin = new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes.subarray(0, written));
  return begin + note;
}

function isAsyncIterable(value: unknown): value is AsyncIterable<unknown> {
  return typeof value === 'object' && value !== null && Symbol.asyncIterator in value;
}
