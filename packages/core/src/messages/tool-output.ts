import type { JSONValue } from '@ai-sdk/provider';
import type { ModelMessage, ToolResultPart, UIMessage } from 'ai';
import { isRecord } from '../base/is-record.ts';
import { bytesOf, stringifyJson } from '../json/bytes.ts';
import { canonicalJson } from '../json/canonical.ts';
import { contentTypes, readForeignPart, type ContentPart } from './content-part.ts';

/** What the model gets as the result of a tool call, in the AI SDK's form. */
export type ToolResultOutput = ToolResultPart['output'];

/** A list of parts as a tool result has it. */
export type ToolResultContent = Extract<ToolResultOutput, { type: 'content' }>['value'];

/**
 * Returns a tool's result as it is sent to the model: text as text, a list of text, image, file and audio parts
 * as parts, and everything else as JSON, with `null` for undefined. Bytes among other data are only mentioned.
 * A tool's result is foreign: only a part that a constructor made may name a file elsewhere or set provider
 * options.
 */
export function toModelOutput(output: unknown): ToolResultOutput {
  const value = contentOf(output);
  return value === undefined ? toDataOutput(output) : { type: 'content', value };
}

/** Does the same without parts: a list that looks like a list of parts is sent as JSON. */
export function toDataOutput(output: unknown): ToolResultOutput {
  return typeof output === 'string'
    ? { type: 'text', value: output }
    : { type: 'json', value: plainJson(output) };
}

/** Adds a note for the model to a result. */
export function withNote(output: ToolResultOutput, note: string | undefined): ToolResultOutput {
  if (note === undefined) return output;
  const value =
    output.type === 'content'
      ? output.value
      : [{ type: 'text' as const, text: 'value' in output ? asText(output.value) : '' }];
  return { type: 'content', value: [...value, { type: 'text', text: note }] };
}

function asText(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** Returns what the model reads beside the result of a call that the user has approved with other arguments. */
export function editNote(input: unknown): string {
  return `The user ran it with other arguments: ${JSON.stringify(input)}`;
}

/** Returns `messages`, which were made of `turns`, with that note beside the results of such calls. */
export function withEditNotes(messages: ModelMessage[], turns: readonly UIMessage[]): ModelMessage[] {
  const calls = turns.flatMap(({ parts }) => parts.filter(hasResult));
  if (calls.every((call) => editNoteOf(call) === undefined)) return messages;
  /** A model may use an id again. Results have the order of their calls. */
  const notes = new Map<string, (string | undefined)[]>();
  for (const call of calls) {
    const { toolCallId } = call;
    notes.set(toolCallId, [...(notes.get(toolCallId) ?? []), editNoteOf(call)]);
  }
  return messages.map((message) => {
    if (message.role !== 'tool') return message;
    const content = message.content.map((part) =>
      part.type === 'tool-result'
        ? { ...part, output: withNote(part.output, notes.get(part.toolCallId)?.shift()) }
        : part,
    );
    return { ...message, content };
  });
}

type CallPart = Extract<UIMessage['parts'][number], { toolCallId: string }>;

/** True for a call that runs here and has a result or an error for the model. */
function hasResult(part: UIMessage['parts'][number]): part is CallPart {
  if (!('toolCallId' in part) || part.providerExecuted === true) return false;
  return !part.state.startsWith('input-') && !('preliminary' in part && part.preliminary);
}

function editNoteOf(part: CallPart): string | undefined {
  // the state has more than the AI SDK's type says
  const input = (part.approval as { input?: unknown } | undefined)?.input;
  const isEdited = input !== undefined && canonicalJson(input) !== canonicalJson(part.input);
  return isEdited && part.state === 'output-available' ? editNote(input) : undefined;
}

/** Returns a copy of `value` as JSON. */
export function plainJson(value: unknown): JSONValue {
  const text = stringifyJson(value);
  return text === undefined ? null : (JSON.parse(text) as JSONValue);
}

/** Returns the parts of a list that contains only complete parts. Leaves out empty texts, which models refuse. */
function contentOf(output: unknown): ToolResultContent | undefined {
  if (!Array.isArray(output)) return undefined;
  const parts: ToolResultContent = [];
  for (const item of output as unknown[]) {
    if (!isRecord(item)) return undefined;
    if (item['type'] === 'text' && item['text'] === '' && Object.keys(item).length === 2) continue;
    const part = readOutputPart(item);
    if (part === undefined) return undefined;
    parts.push(part);
  }
  return parts.length === 0 ? undefined : parts;
}

/** Returns the part that an object is; undefined for data that only looks like one. */
function readOutputPart(item: Record<string, unknown>): ToolResultContent[number] | undefined {
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

/** The fields of each kind of part. An object with other fields is data. */
const keys: Record<ContentPart['type'], readonly string[]> = {
  text: ['text'],
  image: ['image', 'data', 'mediaType'],
  file: ['data', 'mediaType', 'filename'],
  audio: ['data', 'mediaType', 'filename'],
};

/** False for a Blob, which would have to be read first, and for a word that happens to be base64. */
function isInlineData(data: object, mediaType: string): boolean {
  return !(data instanceof Blob) && !('data' in data && mediaType === 'image/*');
}
