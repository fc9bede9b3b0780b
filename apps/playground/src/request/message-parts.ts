import type { ModelMessage } from 'ai';
import type { FilePart } from '../transcript/transcript-item.ts';
import { isRecord } from '../ui/data/is-record.ts';
import { jsonText } from '../ui/format.ts';

/** One part of a message of a request, as it is shown. */
export type MessagePart =
  | { kind: 'text' | 'reasoning'; text: string }
  | { kind: 'call' | 'result' | 'error'; toolName: string; value: unknown }
  | { kind: 'file'; file: FilePart }
  | { kind: 'data'; type: string; value: unknown };

/** The parts of a message. An imported log may have any fields, so each is checked before it is read. */
export function partsOfMessage({ content }: ModelMessage): MessagePart[] {
  if (typeof content === 'string') return [{ kind: 'text', text: content }];
  return content.map((part) => readPart(part as unknown as Fields));
}

/** A message as text, for comparison with another one. */
export function messageText(message: ModelMessage): string {
  return partsOfMessage(message)
    .map((part) => {
      switch (part.kind) {
        case 'text':
        case 'reasoning':
          return part.text;
        case 'file':
          return `[${part.file.filename ?? part.file.mediaType}]`;
        case 'data':
          return jsonText(part.value);
        default:
          return `${part.toolName} ${jsonText(part.value)}`;
      }
    })
    .join('\n');
}

type Fields = { type: string } & Record<string, unknown>;

function readPart(part: Fields): MessagePart {
  const { type, text, toolName } = part;
  if ((type === 'text' || type === 'reasoning') && typeof text === 'string') return { kind: type, text };
  const name = typeof toolName === 'string' ? toolName : 'tool';
  if (type === 'tool-call') return { kind: 'call', toolName: name, value: part['input'] };
  if (type === 'tool-result' && isRecord(part['output'])) {
    const { type: form, value, reason } = part['output'];
    if (form === 'execution-denied') return { kind: 'error', toolName: name, value: reason ?? 'Refused' };
    const failed = form === 'error-text' || form === 'error-json';
    return { kind: failed ? 'error' : 'result', toolName: name, value };
  }
  if (type === 'file' || type === 'image' || type === 'reasoning-file')
    return { kind: 'file', file: fileOf(part) };
  const { type: _type, ...rest } = part;
  return { kind: 'data', type, value: rest };
}

function fileOf({ type, mediaType, filename, data, image }: Fields): FilePart {
  const media = typeof mediaType === 'string' ? mediaType : type === 'image' ? 'image' : 'file';
  return {
    mediaType: media,
    url: addressOf(data ?? image, media),
    ...(typeof filename === 'string' ? { filename } : {}),
  };
}

/** The address of a file, or a data URL of its bytes; empty for one that only its provider has. */
function addressOf(source: unknown, mediaType: string): string {
  if (isRecord(source)) return addressOf(source['url'] ?? source['data'], mediaType);
  // a text in brackets stands for bytes that the log does not contain
  if (typeof source !== 'string' || source.startsWith('[')) return '';
  return /^[a-z]+:/i.test(source) ? source : `data:${mediaType};base64,${source}`;
}
