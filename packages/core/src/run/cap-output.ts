import { CuelineError } from '../errors.ts';
import { bytesOf } from '../prompt/file-data.ts';
import { toModelOutput } from '../prompt/tool-output.ts';

/** How much of a tool's result the model and the log get, in bytes of UTF-8. */
const MAX_BYTES = 256 * 1024;

/**
 * A tool's result as it may go to the model and into the log: JSON of at most 256 KB. A longer string is cut, and what
 * is longer as JSON becomes the beginning of that JSON; both end on a note that says how long the whole was. In a list
 * of text, image and file parts, the texts are cut so that they have 256 KB together, and files stay whole: half a
 * picture is none. With `as: 'data'`, such a list is JSON like any other. Undefined becomes null.
 * @throws CuelineError `invalid_definition` for what is not JSON: functions, cycles, BigInt
 */
export function capOutput(output: unknown, toolName?: string, as: 'parts' | 'data' = 'parts'): unknown {
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
  if (capped === text) return output;
  return as === 'parts' && isPartList(output) ? capParts(output) : capped;
}

function asJson(output: unknown, tool: string): string | undefined {
  try {
    return JSON.stringify(output, function (this: Record<string, unknown>, key, child: unknown) {
      // what the model gets of bytes; as JSON, each of them would be a key and a number
      const bytes = bytesOf(this[key]);
      return bytes === undefined ? child : `[${bytes.length} bytes]`;
    });
  } catch (error) {
    const [reason] = error instanceof Error ? error.message.split('\n') : [];
    throw new CuelineError(
      'invalid_definition',
      `${tool} returned something that is not JSON (${reason ?? 'unknown reason'}). Return plain objects, arrays, strings, numbers.`,
      { cause: error },
    );
  }
}

/** The text, or as much of it as has room together with the note. */
function capText(text: string, room = MAX_BYTES): string {
  // a character is at most three bytes, so most results need no counting
  if (text.length * 3 <= room) return text;
  const encoder = new TextEncoder();
  const bytes = new Uint8Array(room);
  if (encoder.encodeInto(text, bytes).read === text.length) return text;
  const note = `\n\n[Cut off: the whole was ${text.length} characters long, and a tool may return 256 KB. Ask for less, or for a part.]`;
  // the note is ASCII, and encodeInto stops between two characters, never inside one
  const { written } = encoder.encodeInto(text, bytes.subarray(0, Math.max(0, room - note.length)));
  // not text.slice(), which would keep the whole text in memory
  const begin = new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes.subarray(0, written));
  return begin + note;
}

type Part = { type: unknown; text?: unknown };

/** True for a list that the model gets as parts, and not as JSON. */
function isPartList(output: unknown): output is readonly Part[] {
  return Array.isArray(output) && toModelOutput(output).type === 'content';
}

function capParts(parts: readonly Part[]): Part[] {
  let room = MAX_BYTES;
  return parts.map((part) => {
    if (part.type !== 'text' || typeof part.text !== 'string') return part;
    const text = capText(part.text, room);
    room = Math.max(0, room - new TextEncoder().encode(text).length);
    return { ...part, text };
  });
}

function isAsyncIterable(value: unknown): value is AsyncIterable<unknown> {
  return typeof value === 'object' && value !== null && Symbol.asyncIterator in value;
}
