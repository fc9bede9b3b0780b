import type { ToolResultPart } from 'ai';
import type { JSONValue } from '@ai-sdk/provider';
import { contentTypes, readForeignPart, type ContentPart } from './content-part.ts';
import { bytesOf } from './file-data.ts';
import { isRecord } from '../base/part-error.ts';

/** What the model is sent as the result of a tool call, in the AI SDK's form. */
export type ToolResultOutput = ToolResultPart['output'];

/** A list of parts as a tool result has them. */
export type ToolResultContent = Extract<ToolResultOutput, { type: 'content' }>['value'];

/**
 * What the model is sent for what a tool returned: text as text, a list of text, image, file and audio parts as just
 * those, and everything else as JSON, in which nothing at all is `null`. Bytes that stand among other data are only
 * mentioned. What a tool returns is foreign: only a part that a constructor made may name a file elsewhere or set
 * provider options.
 */
export function toModelOutput(output: unknown): ToolResultOutput {
  const value = contentOf(output);
  return value === undefined ? toDataOutput(output) : { type: 'content', value };
}

/** The same without parts: a list that looks like one of parts is JSON like any other. */
export function toDataOutput(output: unknown): ToolResultOutput {
  return typeof output === 'string'
    ? { type: 'text', value: output }
    : { type: 'json', value: plainJson(output) };
}

/** A copy of `value` as JSON has it. */
export function plainJson(value: unknown): JSONValue {
  const text = JSON.stringify(value, function (this: Record<string, unknown>, key, child: unknown) {
    // some buffers have a toJSON, and are lists of numbers by now
    const bytes = bytesOf(this[key]);
    if (bytes !== undefined) return `[${bytes.length} bytes]`;
    return typeof child === 'bigint' ? String(child) : child;
  }) as string | undefined;
  return text === undefined ? null : (JSON.parse(text) as JSONValue);
}

/** The parts of a list that has nothing but whole parts in it. Empty texts, which models refuse, are left out. */
function contentOf(output: unknown): ToolResultContent | undefined {
  if (!Array.isArray(output)) return undefined;
  const parts: ToolResultContent = [];
  for (const item of output as unknown[]) {
    if (!isRecord(item)) return undefined;
    if (item['type'] === 'text' && item['text'] === '' && Object.keys(item).length === 2) continue;
    const part = partOf(item);
    if (part === undefined) return undefined;
    parts.push(part);
  }
  return parts.length === 0 ? undefined : parts;
}

/** The part that an object is; undefined for data that only looks like one. */
function partOf(item: Record<string, unknown>): ToolResultContent[number] | undefined {
  const type = contentTypes.find((known) => known === item['type']);
  if (type === undefined) return undefined;
  const isTextInBytes = type === 'text' && bytesOf(item['data']) !== undefined;
  const known = new Set(['type', 'providerOptions', ...keys[isTextInBytes ? 'file' : type]]);
  if (Object.keys(item).some((key) => !known.has(key))) return undefined;
  try {
    const part = readForeignPart(item, 'output');
    return part?.type !== 'file' || isInlineData(part.data, part.mediaType) ? part : undefined;
  } catch {
    return undefined;
  }
}

/** What each part may say of itself. An object that has more is data like any other. */
const keys: Record<ContentPart['type'], readonly string[]> = {
  text: ['text'],
  image: ['image', 'data', 'mediaType'],
  file: ['data', 'mediaType', 'filename'],
  audio: ['data', 'mediaType', 'filename'],
};

/** Not a Blob, which would have to be read first, and not a word that happens to be base64. */
function isInlineData(data: object, mediaType: string): boolean {
  return !(data instanceof Blob) && !('data' in data && mediaType === 'image/*');
}
