import { capText, MAX_TEXT_BYTES } from '../base/cap-text.ts';
import { reasonOf } from '../base/error-source.ts';
import { CuelineError } from '../base/errors.ts';
import { mentionBytes, stringifyJson } from '../json/bytes.ts';
import { isTooDeep, MAX_JSON_DEPTH } from '../json/json-depth.ts';
import { ignorePromises, refuseLossy } from '../json/refuse-lossy.ts';
import { toModelOutput } from '../messages/tool-output.ts';
import { isAsyncIterable } from './tool-callbacks.ts';

const advice = ', and a tool may return 256 KB. Ask for less, or for a part.';

/**
 * Returns a tool's result for the model and the log: JSON of at most 256 KB. A longer string is cut, and a larger
 * value becomes the beginning of its JSON; both end with a note of the full length. In a list of text, image and file
 * parts, the texts are cut to 256 KB in total; the texts after the cut are left out, and their number is the last
 * part. Files stay whole, because a part of a picture is useless. With `as: 'data'`, such a list is ordinary JSON.
 * Undefined becomes null.
 * @throws CuelineError `invalid_definition` for values that are not JSON (functions, cycles, BigInt, a Map, a
 * promise), and for JSON of more than 1,000 levels
 */
export function capOutput(output: unknown, toolName?: string, as: 'parts' | 'data' = 'parts'): unknown {
  if (typeof output === 'string') return capText(output, MAX_TEXT_BYTES, advice);
  if (output === undefined) return null;
  const tool = toolName === undefined ? 'The tool' : `Tool ${toolName}`;
  if (typeof output === 'function' || isAsyncIterable(output)) {
    throw new CuelineError(
      'invalid_definition',
      `${tool} returned a ${typeof output === 'function' ? 'function' : 'promise of a generator'}. Return its result, or make the tool itself an async function*.`,
    );
  }
  const text = asJson(output, tool);
  // a symbol, or an object whose JSON is undefined
  if (text === undefined) return null;
  const capped = capText(text, MAX_TEXT_BYTES, advice);
  if (capped === text) {
    if (isTooDeep(text)) throw tooDeepError(tool);
    return output;
  }
  return as === 'parts' && isPartList(output) ? capParts(output) : capped;
}

function asJson(output: unknown, tool: string): string | undefined {
  try {
    return stringifyJson(output, mentionBytes, refuseLossy);
  } catch (error) {
    ignorePromises(output);
    if (error instanceof RangeError) throw tooDeepError(tool, error);
    throw new CuelineError(
      'invalid_definition',
      `${tool} returned something that is not JSON (${reasonOf(error)}). Return plain objects, arrays, strings, numbers.`,
      { cause: error },
    );
  }
}

function tooDeepError(tool: string, cause?: unknown): CuelineError {
  return new CuelineError(
    'invalid_definition',
    `${tool} returned something that is nested more than ${MAX_JSON_DEPTH} levels deep, or too long for JSON. Return less, or flatter data.`,
    { cause },
  );
}

type ListedPart = { type: unknown; text?: unknown };

/** True for a list that is sent to the model as parts, and not as JSON. */
function isPartList(output: unknown): output is readonly ListedPart[] {
  return Array.isArray(output) && toModelOutput(output).type === 'content';
}

function capParts(parts: readonly ListedPart[]): ListedPart[] {
  const encoder = new TextEncoder();
  let room = MAX_TEXT_BYTES;
  // what text parts have besides their texts may take as much again: a list of single words is mostly that
  let roomOfMembers = MAX_TEXT_BYTES;
  let isFull = false;
  let leftOut = 0;
  const kept = parts.flatMap((part) => {
    if (part.type !== 'text' || typeof part.text !== 'string') return [part];
    roomOfMembers -= isFull ? 0 : JSON.stringify({ ...part, text: '' }).length;
    if (isFull || roomOfMembers < 0) {
      isFull = true;
      leftOut += 1;
      return [];
    }
    const text = capText(part.text, room, advice);
    room = Math.max(0, room - encoder.encode(text).length);
    isFull = text !== part.text;
    return [{ ...part, text }];
  });
  if (leftOut === 0) return kept;
  return [...kept, { type: 'text', text: `[Left out: ${leftOut} more texts${advice}]` }];
}
