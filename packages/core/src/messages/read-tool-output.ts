import { reasonOf } from '../base/error-source.ts';
import { isRecord } from '../base/is-record.ts';
import { messagePartError } from '../base/message-part-error.ts';
import { bytesOf } from '../json/bytes.ts';
import { readForeignPart, type ContentPart } from './content-part.ts';
import { plainJson, toModelOutput, type ToolResultContent, type ToolResultOutput } from './tool-output.ts';

/**
 * A tool's result in a message of the prompt: a text, any data, a list of parts, or the AI SDK's own `{ type: 'text'
 * | 'json' | 'error-text' | 'error-json' | 'content', value }`.
 */
export type ToolOutput =
  | string
  | number
  | boolean
  | object
  | null
  | readonly ContentPart[]
  | ToolResultOutput;

/** Returns a tool's output as it is sent. @throws CuelineError `invalid_definition`, with the path of the fault */
export function readToolOutput(output: unknown, path: string): ToolResultOutput {
  if (output === undefined) {
    throw messagePartError(path, 'is missing. Say what the tool returned: a string, an object, or null.');
  }
  const sent = isRecord(output) ? readSent(output, path) : undefined;
  if (sent !== undefined) return sent;
  // bytes are read as parts, because they could not be sent as anything else
  if (Array.isArray(output) && output.some(holdsBytes)) {
    return { type: 'content', value: readContent(output, path) };
  }
  return withPath(path, () => toModelOutput(output));
}

/** Returns a copy as JSON. @throws CuelineError `invalid_definition`, with the path */
export function readPlainJson(value: unknown, path: string): ReturnType<typeof plainJson> {
  return withPath(path, () => plainJson(value));
}

/** Returns an output that is in the AI SDK's form already; undefined for data that only has a `type`, too. */
function readSent(output: Record<string, unknown>, path: string): ToolResultOutput | undefined {
  const { type, value, reason, ...rest } = output;
  // provider options belong to the part that holds the output; here they would be a tool's
  if (Object.keys(rest).length > 0) return undefined;
  if (type === 'execution-denied' && !('value' in output)) {
    return { type, ...(typeof reason === 'string' ? { reason } : {}) };
  }
  if (!('value' in output) || 'reason' in output) return undefined;
  if ((type === 'text' || type === 'error-text') && typeof value === 'string') return { type, value };
  if (type === 'json' || type === 'error-json') {
    return { type, value: readPlainJson(value, `${path}.value`) };
  }
  if (type === 'content' && Array.isArray(value)) return { type, value: readContent(value, `${path}.value`) };
  return undefined;
}

function readContent(items: readonly unknown[], path: string): ToolResultContent {
  return items.map((item, index) => {
    const at = `${path}[${index}]`;
    if (!isRecord(item)) throw messagePartError(at, "is not a part. Write { type: 'text', text: '…' }.");
    const part = readForeignPart(item, at);
    if (part === undefined) {
      throw messagePartError(
        at,
        'names a file elsewhere, which only a part made by imagePart(…), filePart(…) or audioPart(…) may do.',
      );
    }
    if (part.type === 'file' && part.data instanceof Blob) {
      throw messagePartError(at, 'is a Blob. Read it first: new Uint8Array(await blob.arrayBuffer()).');
    }
    return part;
  });
}

function holdsBytes(item: unknown): boolean {
  return (
    isRecord(item) &&
    Object.values(item).some((value) => bytesOf(value) !== undefined || value instanceof Blob)
  );
}

function withPath<Value>(path: string, read: () => Value): Value {
  try {
    return read();
  } catch (error) {
    throw messagePartError(
      path,
      `is not JSON (${reasonOf(error)}). Give plain objects, lists, texts, numbers.`,
    );
  }
}
