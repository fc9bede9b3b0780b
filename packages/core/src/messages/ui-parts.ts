import type { ModelMessage, UIMessage } from 'ai';
import { readFile, type FileSource } from './file-data.ts';
import { toJson } from './to-json.ts';

type UIPart = UIMessage['parts'][number];
type ModelPart = Exclude<ModelMessage['content'], string>[number];
type ToolCall = Extract<ModelPart, { type: 'tool-call' }>;

/** A call's result as a message has it. */
export type ToolResult = Extract<ModelPart, { type: 'tool-result' }>;

/** Files from this size on are mentioned instead of shown, in bytes, because logs are stored and links are sent. */
const LARGE_FILE = 256 * 1_024;

/** Returns the shown form of a message part; nothing for a part without a meaning outside of a request. */
export function toUIParts(part: ModelPart, results: ReadonlyMap<string, ToolResult>): UIPart[] {
  switch (part.type) {
    case 'text':
    case 'reasoning':
      return [{ type: part.type, text: part.text }];
    case 'file':
    case 'reasoning-file':
      return [toUIFile(part.data, part.mediaType, 'filename' in part ? part.filename : undefined)];
    case 'image':
      return [toUIFile(part.image, part.mediaType)];
    case 'tool-call':
      return [toUICall(part, results.get(part.toolCallId))];
    default:
      return [];
  }
}

function toUICall({ toolCallId, toolName, input }: ToolCall, result: ToolResult | undefined): UIPart {
  return {
    type: `tool-${toolName}`,
    toolCallId,
    input: toJson(input),
    ...(result === undefined ? { state: 'input-available' } : toUIOutput(result.output)),
  } as UIPart;
}

function toUIOutput(output: ToolResult['output']): object {
  switch (output.type) {
    case 'error-text':
      return { state: 'output-error', errorText: output.value };
    case 'error-json':
      return { state: 'output-error', errorText: JSON.stringify(output.value) };
    case 'execution-denied':
      return { state: 'output-error', errorText: output.reason ?? 'The call was not allowed.' };
    case 'content':
      return {
        state: 'output-available',
        output: output.value.map((part) =>
          part.type === 'file' ? toUIFile(part.data, part.mediaType, part.filename) : toJson(part),
        ),
      };
    default:
      return { state: 'output-available', output: toJson(output.value) };
  }
}

/** Returns a file by its URL, which may be a data URL; a note in its place if it is large or only an id. */
function toUIFile(source: FileSource, mediaType?: string, filename?: string): UIPart {
  const content = readable(source);
  const type = mediaType ?? content?.mediaType ?? 'image/*';
  const note = (about: string): UIPart => ({ type: 'text', text: `[${filename ?? type}, ${about}]` });
  if (content === undefined || content.data instanceof Blob) return note('not shown');
  const { data } = content;
  if (data.type === 'reference') return note(`${Object.values(data.reference)[0]}`);
  const bytes =
    data.type === 'data' ? (data.data.length / 4) * 3 : data.type === 'text' ? data.text.length : 0;
  if (bytes > LARGE_FILE) return note(`${(bytes / 1_024 / 1_024).toFixed(1)} MB`);
  const file = { type: 'file' as const, mediaType: type, ...(filename === undefined ? {} : { filename }) };
  if (data.type === 'url') return { ...file, url: data.url.href };
  if (data.type === 'text')
    return { ...file, url: `data:${type};charset=utf-8,${encodeURIComponent(data.text)}` };
  return { ...file, url: `data:${type};base64,${data.data as string}` };
}

/** Returns the file of a part, if it is readable: messages of the caller are not validated. */
function readable(source: FileSource): ReturnType<typeof readFile> | undefined {
  try {
    return readFile(source, 'file');
  } catch {
    return undefined;
  }
}
